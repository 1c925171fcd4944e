import type { SessionEvent } from '../../contract/session-events.ts';

/** A command after an upload as a line for people, with the end of its output below it. */
export function describeCommand(event: Extract<SessionEvent, { event: 'command' }>): string {
  const { name, where, state, text, code, milliseconds } = event;
  const place = where === 'container' ? 'in the container' : 'on this machine';
  const what = name === 'restart' ? 'The restart of the program' : `${name} ${place}`;
  const took = milliseconds === undefined ? '' : ` after ${(milliseconds / 1000).toFixed(1)} s`;
  const output = text.trim() === '' ? '' : `\n${text.trim()}`;
  switch (state) {
    case 'started':
      return name === 'restart' ? 'Restarting the program of the container.' : `${what}: started.`;
    case 'output':
      return text;
    case 'skipped':
      return `${what}: not now. ${text}`.trim();
    case 'ended':
      return name === 'restart'
        ? `The program of the container was restarted${took}.`
        : `${what}: done${took}.${output}`;
    case 'failed':
      return `${what} failed${code === undefined ? '' : ` with exit code ${code}`}${took}.${output}`;
  }
}
