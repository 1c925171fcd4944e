import { createInterface } from 'node:readline/promises';
import type { Environment } from './command.ts';
import { printable } from './output.ts';

/** True when there is a person to ask. */
export function canAsk({ input, terminal }: Environment): boolean {
  return input.isTTY && terminal.stderr.isTTY === true;
}

/** Asks for one of the choices until one is given; the first letters are enough. Ends with the signal. */
export async function ask<Choice extends string>(
  environment: Environment,
  question: string,
  choices: readonly Choice[],
  signal: AbortSignal,
): Promise<Choice> {
  for (;;) {
    const answer = (await askText(environment, `${question} [${choices.join('/')}]`, signal)).toLowerCase();
    const matching = choices.filter((choice) => choice.startsWith(answer));
    if (answer !== '' && matching[0] !== undefined && matching.length === 1) return matching[0];
  }
}

/** Asks for one line, without the blanks around it. Ends with the signal. */
export async function askText(
  environment: Environment,
  question: string,
  signal: AbortSignal,
): Promise<string> {
  const lines = createInterface({ input: environment.input, output: process.stderr });
  // While a line is read the terminal is raw, and Ctrl-C is a key like any other.
  lines.on('SIGINT', () => environment.interrupts.requestStop());
  try {
    return (await lines.question(`${printable(question)} `, { signal })).trim();
  } finally {
    lines.close();
  }
}
