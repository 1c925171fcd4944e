/** Bounds of the settings. */
const mostPatterns = 1000;
const longestPattern = 1024;

/** One pattern a line; empty lines are none. */
export function parsePatterns(text: string): readonly string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** Why the patterns cannot be stored; undefined when they can. */
export function patternsProblem(patterns: readonly string[]): string | undefined {
  if (patterns.length > mostPatterns) return `At most ${mostPatterns.toLocaleString('en')} patterns.`;
  const long = patterns.findIndex((pattern) => pattern.length > longestPattern);
  if (long === -1) return undefined;
  return `Pattern ${long + 1} is longer than ${longestPattern.toLocaleString('en')} characters.`;
}
