/** A question before the app ends; the first button is the default, and what Escape means. */
export interface CloseQuestion {
  readonly message: string;
  readonly detail: string;
  readonly buttons: readonly [stay: string, leave: string];
}

export type CloseDecision =
  | { readonly kind: 'quit' }
  | { readonly kind: 'ask-to-stop'; readonly question: CloseQuestion }
  | { readonly kind: 'ask-to-leave'; readonly question: CloseQuestion };

export interface CloseState {
  /** Sessions that hold a workload, like `web in shop (staging)`. */
  readonly sessions: readonly string[];
  /** They are being stopped already. */
  readonly stopping: boolean;
}

/** Lines of a list before the rest is only counted: a dialog cannot scroll. */
const listed = 8;

/** What quitting means now. A session is never lost silently: it is stopped first, or said to be left. */
export function decideClose({ sessions, stopping }: CloseState): CloseDecision {
  if (sessions.length === 0) return { kind: 'quit' };
  const count = sessions.length === 1 ? 'One session' : `${sessions.length} sessions`;
  const [it, workload] = sessions.length === 1 ? ['it', 'the workload'] : ['them', 'the workloads'];
  if (stopping)
    return {
      kind: 'ask-to-leave',
      question: {
        message: `${count} ${sessions.length === 1 ? 'is' : 'are'} still being stopped.`,
        detail: `${list(sessions)}\n\nQuitting now leaves ${workload} replaced. Leftovers restores ${it} at the next start.`,
        buttons: ['Keep Waiting', 'Quit Now'],
      },
    };
  return {
    kind: 'ask-to-stop',
    question: {
      message: `${count} ${sessions.length === 1 ? 'is' : 'are'} running.`,
      detail: `${list(sessions)}\n\nQuitting stops ${it} and puts ${workload} back as before.`,
      buttons: ['Cancel', 'Stop and Quit'],
    },
  };
}

/** What is said when something could not be put back. */
export function leftBehind(remaining: readonly string[]): Pick<CloseQuestion, 'message' | 'detail'> {
  return {
    message: 'Not everything could be put back.',
    detail: `${list(remaining)}\n\nOpen Leftovers at the next start to restore it.`,
  };
}

function list(lines: readonly string[]): string {
  const shown = lines.slice(0, listed).map((line) => `• ${line}`);
  const rest = lines.length - shown.length;
  return [...shown, ...(rest > 0 ? [`and ${rest} more`] : [])].join('\n');
}
