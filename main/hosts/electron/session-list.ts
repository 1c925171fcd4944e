import type { Listing } from '../../../contract/listing.ts';
import type { SessionStage, SessionSummary } from '../../../contract/sessions.ts';
import type { GuardedSessions } from './closing.ts';

/** The app's sessions, as far as its end concerns them. */
export interface AppSessions {
  readonly list: { readonly value: Listing<SessionSummary> };
  stopAll(): Promise<void>;
}

const holding: ReadonlySet<SessionStage> = new Set(['starting', 'running', 'stopping']);

/** The sessions as sentences for the questions at the end of the app. */
export function guardedSessions(sessions: AppSessions): GuardedSessions {
  const named = (wanted: (stage: SessionStage) => boolean): readonly string[] =>
    Object.values(sessions.list.value.items)
      .filter(({ stage }) => wanted(stage))
      .map(({ target, namespace }) => `${target} in ${namespace}`);
  return {
    running: () => named((stage) => holding.has(stage)),
    async stopAll() {
      await sessions.stopAll();
      return named((stage) => stage === 'left');
    },
  };
}
