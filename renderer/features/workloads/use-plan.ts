import { useCallback, useEffect, useRef, useState } from 'react';
import type { ErrorValue } from '../../../contract/errors.ts';
import type { Detection, FlightPlan, StartForm, WorkloadKey } from '../../../contract/workloads.ts';
import { RemoteError, useClient } from '../../ipc/client.ts';
import { shouldLookAgain } from './look-again.ts';

/** A form that rests for so long is planned. */
const restMs = 450;
/** A plan is made anew after so long, before main forgets it. */
const renewMs = 10 * 60_000;

export interface PlanState {
  readonly plan: FlightPlan | undefined;
  readonly error: ErrorValue | undefined;
  /** The plan that is shown is not of the form as it is now. */
  readonly pending: boolean;
  /** Makes it anew at once. */
  renew(): void;
}

/** The flight plan of a form, made anew soon after each change; what is no longer wanted is cancelled. */
export function usePlan(form: StartForm | undefined): PlanState {
  const client = useClient();
  const [answer, setAnswer] = useState<{
    readonly key: string;
    readonly plan?: FlightPlan;
    readonly error?: ErrorValue;
  }>();
  const [turn, setTurn] = useState(0);
  const key = form === undefined ? undefined : JSON.stringify([form, turn]);
  const latest = useRef(form);
  latest.current = form;
  const rested = useRef(false);
  useEffect(() => {
    const wanted = latest.current;
    if (key === undefined || wanted === undefined) return undefined;
    const stop = new AbortController();
    const wait = setTimeout(
      () => {
        rested.current = true;
        client.call('workloads.plan', wanted, { signal: stop.signal }).then(
          (plan) => setAnswer({ key, plan }),
          (failure: unknown) => {
            if (stop.signal.aborted) return;
            if (!(failure instanceof RemoteError)) throw failure;
            setAnswer({ key, error: failure.value });
          },
        );
      },
      rested.current ? restMs : 0,
    );
    const renewal = setTimeout(() => setTurn((count) => count + 1), renewMs);
    return () => {
      clearTimeout(wait);
      clearTimeout(renewal);
      stop.abort();
    };
  }, [client, key]);
  const renew = useCallback(() => setTurn((count) => count + 1), []);
  return {
    plan: answer?.plan,
    error: answer?.key === key ? answer?.error : undefined,
    pending: key !== undefined && answer?.key !== key,
    renew,
  };
}

export interface DetectionState {
  readonly detection: Detection | undefined;
  readonly error: ErrorValue | undefined;
  readonly pending: boolean;
}

/**
 * What was found out about a folder and a workload. Asked for each folder and container once, and again with another
 * `mark` as long as no container could be looked into.
 */
export function useDetection(
  {
    workload,
    folder,
    container,
    mark,
  }: {
    readonly workload: WorkloadKey;
    readonly folder: string;
    readonly container: string | undefined;
    readonly mark: string;
  },
  onFound: (detection: Detection) => void,
): DetectionState {
  const client = useClient();
  const [turn, setTurn] = useState(0);
  const latestMark = useRef(mark);
  latestMark.current = mark;
  const [state, setState] = useState<DetectionState & { readonly key?: string; readonly mark?: string }>({
    detection: undefined,
    error: undefined,
    pending: false,
  });
  const { cluster, namespace, kind, name } = workload;
  const key = folder === '' ? undefined : JSON.stringify([cluster, namespace, kind, name, folder, container]);
  const found = useRef(onFound);
  found.current = onFound;
  useEffect(() => {
    if (key === undefined) return undefined;
    const stop = new AbortController();
    setState((before) => ({ ...before, pending: true }));
    const question = {
      cluster,
      namespace,
      kind,
      name,
      folder,
      ...(container === undefined ? {} : { container }),
    };
    const wait = setTimeout(() => {
      const asked = latestMark.current;
      client.call('workloads.detect', question, { signal: stop.signal }).then(
        (detection) => {
          setState({ detection, error: detection.problem, pending: false, key, mark: asked });
          if (detection.problem === undefined) found.current(detection);
        },
        (failure: unknown) => {
          if (stop.signal.aborted) return;
          if (!(failure instanceof RemoteError)) throw failure;
          setState({ detection: undefined, error: failure.value, pending: false, key });
        },
      );
    }, restMs);
    return () => {
      clearTimeout(wait);
      stop.abort();
    };
  }, [client, key, turn]);
  const again =
    !state.pending &&
    state.key === key &&
    shouldLookAgain({ detection: state.detection, mark: state.mark }, mark);
  useEffect(() => {
    if (again) setTurn((count) => count + 1);
  }, [again]);
  return key === undefined ? { detection: undefined, error: undefined, pending: false } : state;
}
