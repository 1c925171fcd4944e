import { resolve } from 'node:path';
import { posix, basename } from 'node:path';
import type { ErrorValue } from '../../contract/errors.ts';
import type { FlightPlan, StartForm } from '../../contract/workloads.ts';
import { isSlipwayError, SlipwayError } from '../base/errors.ts';
import type { Channel } from '../kube/access/rights.ts';
import type { Kube } from '../kube/kube.ts';
import type { MissingRight, SessionPlan } from '../session/plan.ts';
import { assertDeployment } from './assert-deployment.ts';
import { devCommandLine } from './command-line.ts';
import { compareFiles, countFiles } from './compare-files.ts';
import { parseScan, scanQuestion, type ContainerScan } from './container-scan.ts';
import type { PathVerdicts, WorkloadsDependencies } from './dependencies.ts';
import { scanLocal, type LocalScan } from './local-scan.ts';
import { ownerName } from './owner-names.ts';
import {
  actionOf,
  admissionWords,
  formObstacles,
  heldObstacle,
  quotaWords,
  relaxedWords,
  warningsOf,
} from './plan-words.ts';
import { promiseOf } from './promise.ts';
import { Recent } from './recent.ts';
import { askShell, findRunning, readWorkload } from './running-container.ts';
import type { StoredPlan } from './plan-store.ts';

/** A look at files holds while the rest of the form is filled in. */
const holdMs = 15_000;

/** Makes flight plans and keeps them for Start. Nothing is changed for one. */
export class FlightPlanner {
  readonly #dependencies: WorkloadsDependencies;
  readonly #locals: Recent<LocalScan>;
  readonly #containers: Recent<ContainerLook>;

  constructor(dependencies: WorkloadsDependencies) {
    this.#dependencies = dependencies;
    this.#locals = new Recent(dependencies.clock, { holdMs, most: 2 });
    this.#containers = new Recent(dependencies.clock, { holdMs, most: 2 });
  }

  async plan(form: StartForm, signal: AbortSignal): Promise<FlightPlan> {
    const { clusters, plans, session } = this.#dependencies;
    assertDeployment(form);
    const folder = await this.#dependencies.openFolder(form.folder);
    const rules = this.#dependencies.compileRules(form.excludes);
    const command = form.command === undefined ? undefined : this.#dependencies.parseCommand(form.command);
    const kube = await clusters.kube(form.cluster);
    clusters.noteNamespace(form.cluster, form.namespace);
    const [[sessionPlan, missingRights], local] = await Promise.all([
      this.#planSession(kube, form, command, signal),
      this.#scanLocal(folder.path, form.excludes, rules, signal),
    ]);
    const [look, hasPast] = await Promise.all([
      this.#lookIntoContainer(kube, form, rules, signal),
      this.#hasPast(kube, form, folder.path),
    ]);
    const expected = form.name;
    const confirm = clusters.confirmation(form.cluster, expected);
    const stored: StoredPlan = {
      form,
      session: sessionPlan,
      missingRights,
      command,
      expected,
      commandLine: this.#commandLine(form, 'hidden'),
      flight: {
        id: plans.newId(),
        action: actionOf(sessionPlan),
        user: sessionPlan.user,
        podDiff: sessionPlan.podDiff,
        files: filesOf(form, local, look, hasPast),
        owners: sessionPlan.owners.map((owner) => ({
          name: ownerName(owner),
          effect: session.ownerWarning(owner) ?? effectOf(owner.kind),
        })),
        services: sessionPlan.services,
        relaxed: relaxedWords(sessionPlan),
        admission: admissionWords(sessionPlan.admission),
        quota: quotaWords(sessionPlan.quota),
        ...(sessionPlan.heldBy === undefined ? {} : { heldBy: sessionPlan.heldBy }),
        warnings: [...warningsOf(sessionPlan), ...fileWarnings(form, local, look)],
        unknown: sessionPlan.unknown,
        obstacles: [
          ...formObstacles(form),
          ...this.#guardObstacle(form),
          ...session.obstacles(sessionPlan, missingRights),
          ...heldObstacle(sessionPlan),
          ...(await this.#portObstacles(form)),
        ],
        ...(confirm === undefined ? {} : { confirm }),
        commandLine: this.#commandLine(form, 'shown'),
      },
    };
    plans.keep(stored);
    return stored.flight;
  }

  async #planSession(
    kube: Kube,
    form: StartForm,
    command: readonly string[] | undefined,
    signal: AbortSignal,
  ): Promise<readonly [SessionPlan, readonly MissingRight[]]> {
    const { sessions, missingRights } = this.#dependencies;
    const { namespace, name, container } = form;
    const channels: readonly Channel[] =
      form.ports.length > 0 ? ['replace', 'sync', 'forward'] : ['replace', 'sync'];
    const request = {
      namespace,
      target: { kind: 'Deployment', name },
      container,
      project: basename(resolve(form.folder)),
      changes: { image: form.image, command, env: form.env },
    };
    const [planned, asked] = await Promise.allSettled([
      sessions(kube).plan(request, { signal }),
      missingRights(kube, { namespace, kind: 'Deployment', name, channels, signal }),
    ]);
    if (asked.status === 'rejected') throw asked.reason;
    if (planned.status === 'fulfilled') return [planned.value, asked.value];
    throw unreadable(planned.reason, `${namespace}/${name}`, asked.value);
  }

  #scanLocal(
    folder: string,
    excludes: readonly string[],
    rules: PathVerdicts,
    signal: AbortSignal,
  ): Promise<LocalScan> {
    const key = JSON.stringify([folder, excludes]);
    return this.#locals.get(key, () => scanLocal(folder, rules, signal));
  }

  async #lookIntoContainer(
    kube: Kube,
    form: StartForm,
    rules: PathVerdicts,
    signal: AbortSignal,
  ): Promise<ContainerLook> {
    if (form.image !== undefined && form.image !== '') {
      const reason = 'The dev pod runs another image, so what its folder holds is not known before Start.';
      return { scan: { kind: 'unknown', reason } };
    }
    const { cluster, namespace, name, container, containerPath, excludes } = form;
    const key = JSON.stringify([cluster, namespace, name, container, containerPath, excludes]);
    return this.#containers.get(key, async () => {
      const { clock, session } = this.#dependencies;
      const object = await readWorkload(kube, form, signal);
      const running = await findRunning(kube, session, form, object, signal);
      if (running.kind === 'none') return { scan: { kind: 'unknown', reason: running.reason } };
      const { target } = running;
      const folder = containerPath.startsWith('/') ? containerPath : `./${containerPath}`;
      const answer = await askShell({ kube, clock, target }, scanQuestion(folder, excludes), signal);
      return { scan: parseScan(answer, rules), where: `pod ${target.pod}, container ${target.container}` };
    });
  }

  #hasPast(kube: Kube, form: StartForm, localPath: string): Promise<boolean> {
    const { namespace, name, container, containerPath } = form;
    return this.#dependencies.hasPast({
      cluster: kube.server,
      namespace,
      target: `Deployment/${name}`,
      container: container ?? '',
      remotePath: containerPath.startsWith('/') ? posix.normalize(containerPath) : `./${containerPath}`,
      localPath,
    });
  }

  #guardObstacle(form: StartForm): readonly ErrorValue[] {
    const cluster = this.#dependencies.clusters.info(form.cluster);
    if (cluster?.guard !== 'read-only') return [];
    return [
      {
        code: 'cluster.read-only',
        message: `${cluster.context} is read-only in Slipway.`,
        cause: 'Its guard forbids every change.',
        next: 'Change the guard in Settings, Clusters, if this context may be changed.',
      },
    ];
  }

  async #portObstacles(form: StartForm): Promise<readonly ErrorValue[]> {
    const found = await Promise.all(
      form.ports.map(async ({ local }) => {
        const free = await this.#dependencies.freePort(local);
        if (free === local) return [];
        return [
          {
            code: 'port.in-use' as const,
            message: `Port ${local} of this machine is taken.`,
            cause: 'Another program listens on it.',
            next: free === undefined ? 'Choose another local port.' : `Choose another one: ${free} is free.`,
          },
        ];
      }),
    );
    return found.flat();
  }

  #commandLine(form: StartForm, values: 'shown' | 'hidden'): string {
    const { clusters, isDefaultKubeconfig } = this.#dependencies;
    const cluster = clusters.info(form.cluster);
    const file = cluster?.file;
    return devCommandLine({
      form: { ...form, folder: resolve(form.folder) },
      context: cluster?.context ?? '',
      kubeconfig: file === undefined || isDefaultKubeconfig(file) ? undefined : file,
      values,
    });
  }
}

interface ContainerLook {
  readonly scan: ContainerScan;
  /** Which container was looked into. */
  readonly where?: string | undefined;
}

function filesOf(
  form: StartForm,
  local: LocalScan,
  look: ContainerLook,
  hasPast: boolean,
): FlightPlan['files'] {
  return {
    local: countFiles(local.files),
    excluded: local.excluded,
    container: containerFiles(form, local, look),
    promise: promiseOf(form.strategy, hasPast),
  };
}

function containerFiles(
  form: StartForm,
  local: LocalScan,
  { scan, where }: ContainerLook,
): FlightPlan['files']['container'] {
  if (local.cut) {
    return { kind: 'unknown', reason: 'This folder has more files than are looked at before Start.' };
  }
  switch (scan.kind) {
    case 'unknown':
      return scan;
    case 'no-folder':
      return {
        kind: 'compared',
        ...compareFiles(local.files, new Map(), form.strategy),
        basis: `${sentenceCase(where ?? 'the container')} has no folder ${form.containerPath} now.`,
      };
    case 'files':
      return {
        kind: 'compared',
        ...compareFiles(local.files, scan.files, form.strategy),
        basis: `Compared by name and size with ${scan.folder} of ${where ?? 'the container'}. Files of the same size may still differ, and what the running container wrote itself is not in the dev pod, which starts from the image.`,
      };
  }
}

function sentenceCase(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

function fileWarnings(form: StartForm, local: LocalScan, { scan }: ContainerLook): readonly string[] {
  const warnings: string[] = [];
  if (local.files.size === 0) warnings.push('The folder has no files within the rules.');
  if (local.cut)
    warnings.push('The folder has more than 200,000 entries; the first sync will take its time.');
  if (local.unreadable > 0) {
    warnings.push(`${local.unreadable} entries of the folder cannot be read and are left alone.`);
  }
  if (scan.kind === 'no-folder' && !form.createPath) {
    warnings.push(
      `The container has no folder ${form.containerPath}; the sync fails unless it is to be created.`,
    );
  }
  return warnings;
}

function effectOf(kind: string): string {
  return kind === 'field-manager'
    ? 'Wrote the number of replicas last; this is noted, and Stop hands it back.'
    : 'Marks the workload as its own; nothing is known of it writing during a session.';
}

/** Who may not read the workload learns what is missing instead of that something is. */
function unreadable(reason: unknown, where: string, missing: readonly MissingRight[]): unknown {
  if (!isSlipwayError(reason, 'cluster.forbidden') || missing.length === 0) return reason;
  return new SlipwayError({
    code: 'rights.missing',
    message: `You may not do everything that a session on ${where} needs.`,
    cause: `${missing.length} rights are missing, among them reading the workload.`,
    next: 'The Preflight tab names them and the Role that gives them.',
    origin: reason,
  });
}
