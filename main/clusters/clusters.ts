import type { Cluster } from '../../contract/clusters.ts';
import type { Event } from '../base/event.ts';
import type { Kube } from '../kube/kube.ts';

/**
 * The contexts of the user's kubeconfigs, each with its connection and its guard. Every {@link Kube} from here is
 * shared and disposing it does nothing. When only the sign-in in a kubeconfig changes, it goes on with the new one;
 * when the address or the user changes, it stays with what it began with, so that a session puts back where it
 * changed something, and whoever wants the new one asks again after `onChange`.
 */
export interface Clusters extends AsyncDisposable {
  info(id: string): Cluster | undefined;
  /** The list or something in it is another one. */
  readonly onChange: Event<void>;
  /**
   * Connected and guarded: what writes, runs or forwards is rejected as the guard says at that moment. Shared, kept
   * open, replaced when its kubeconfig changes. Rejects `cluster.unknown`.
   */
  kube(id: string): Promise<Kube>;
  /**
   * The same for one action that its user has confirmed by typing `expected` where the guard asks for it. The
   * guard is asked once, here: what an action has begun it can also end. Rejects `cluster.read-only` and
   * `cluster.confirmation-needed`.
   */
  kubeFor(
    id: string,
    confirmation: { readonly expected: string; readonly typed: string | undefined },
  ): Promise<Kube>;
  /**
   * Throws `cluster.read-only` where nothing may be begun: for what a session that runs already offers anew. What was
   * begun goes on and can be ended, and a confirmation of its start counts for what belongs to it.
   */
  assertMayBegin(id: string): void;
  /** What has to be typed before an action, undefined when nothing. */
  confirmation(id: string, expected: string): { readonly type: string; readonly why: string } | undefined;
  /** Remembers a namespace that was used, for users who may not list them. */
  noteNamespace(id: string, namespace: string): void;
}
