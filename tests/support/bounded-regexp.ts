import { createContext, Script } from 'node:vm';

/** How long RegExp may take for one expression: some would keep it busy for hours. */
const limitMs = 200;

const variables: Record<string, string> = {};
const context = createContext(variables);
const program = new Script(
  'JSON.stringify(JSON.parse(texts).map((text) => new RegExp(source, flags).test(text)))',
);

/** What RegExp says of each text, as an oracle for random expressions; undefined when it takes too long to tell. */
export function regExpTests(
  source: string,
  flags: string,
  texts: readonly string[],
): readonly boolean[] | undefined {
  Object.assign(variables, { source, flags, texts: JSON.stringify(texts) });
  try {
    return JSON.parse(program.runInContext(context, { timeout: limitMs }) as string) as boolean[];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined;
    throw error;
  }
}
