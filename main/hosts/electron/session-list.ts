import type { Listing } from '../../../contract/listing.ts';
import type { SessionStage, SessionSummary } from '../../../contract/sessions.ts';
import type { GuardedSessions } from './closing.ts';

/** The app's sessions, as far as its end concerns them. */
export interface AppSessions {
  readonly sessions: {
    readonly list: { readonly value: Listing<SessionSummary> };
    stopAll(): Promise<void>;
  };
  /** What sessions that are over have left in clusters, a sentence each. */
  leftBehind(): readonly string[];
}

const holding: ReadonlySet<SessionStage> = new Set(['starting', 'running', 'stopping']);

/** The sessions as sentences for the questions at the end of the app. */
export function guardedSessions({ sessions, leftBehind }: AppSessions): GuardedSessions {
  return {
    running: () =>
      Object.values(sessions.list.value.items)
        .filter(({ stage }) => holding.has(stage))
        .map(({ target, namespace }) => `${target} in ${namespace}`),
    async stopAll() {
      await sessions.stopAll();
      return leftBehind();
    },
  };
}
