import type { LogFilter } from './log-model.ts';
import { LinearPattern } from './linear-pattern.ts';
import { PatternProblem } from './pattern-syntax.ts';

/** Characters of a line that are looked at. */
export const filteredCharacters = 16 * 1024;

export type CompiledFilter =
  | { readonly kind: 'all' }
  | { readonly kind: 'filter'; readonly filter: LogFilter }
  | { readonly kind: 'problem'; readonly message: string };

/** Makes a filter of what was typed: a text, or a regular expression. Case is ignored. */
export function compileFilter(text: string, asPattern: boolean): CompiledFilter {
  if (text === '') return { kind: 'all' };
  if (!asPattern) {
    const wanted = text.toLowerCase();
    return { kind: 'filter', filter: (line) => line.toLowerCase().includes(wanted) };
  }
  try {
    const pattern = new LinearPattern(text, { ignoreCase: true });
    return { kind: 'filter', filter: (line) => pattern.test(line.slice(0, filteredCharacters)) };
  } catch (error) {
    if (error instanceof PatternProblem) return { kind: 'problem', message: error.message };
    throw error;
  }
}
