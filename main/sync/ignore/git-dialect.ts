import type { Rule } from '../../helper/gen/slipway/helper/v1/helper.ts';
import { literalSource } from './byte-class.ts';
import { gitGlobSource } from './git-glob.ts';
import type { RuleList } from './rule-list.ts';
import { createRule } from './rule-list.ts';

/** Compiles the lines of one ignore file at the root as git reads it. A line that git would never match gives no rule. */
export function compileGitLines(lines: readonly string[]): RuleList {
  const rules = lines.flatMap(
    (line, index) => compileLine(index === 0 ? line.replace(/^\uFEFF/, '') : line) ?? [],
  );
  return { cascade: true, rules, wire: rules };
}

/** The rule of one line, undefined for blanks, comments and patterns that cannot match. */
export function compileLine(line: string): Rule | undefined {
  let pattern = trimTrailingSpaces(line.endsWith('\r') ? line.slice(0, -1) : line);
  if (pattern === '' || pattern.startsWith('#')) return undefined;
  const negate = pattern.startsWith('!');
  if (negate) pattern = pattern.slice(1);
  const directoryOnly = pattern.endsWith('/');
  if (directoryOnly) pattern = pattern.slice(0, -1);
  if (pattern === '') return undefined;
  const basename = !pattern.includes('/');
  if (pattern.startsWith('/')) pattern = pattern.slice(1);
  if (pattern === '') return undefined;
  const options = { basename, directoryOnly, negate };

  const special = pattern.search(/[*?[\\]/);
  if (special < 0) return createRule('literal', pattern, options);
  if (basename && /^\*[^*?[\\]+$/.test(pattern)) return createRule('suffix', pattern.slice(1), options);
  if (/^[^*?[\\]+\*$/.test(pattern) && basename) return createRule('prefix', pattern.slice(0, -1), options);
  const source = globWithPrefix(pattern, special, basename);
  return source === undefined ? undefined : createRule('regex', `^${source}$`, options);
}

/** git compares the literal beginning by itself, so that what follows it starts like a whole part of the path. */
function globWithPrefix(pattern: string, special: number, basename: boolean): string | undefined {
  if (basename) return gitGlobSource(pattern);
  const rest = gitGlobSource(pattern.slice(special));
  return rest === undefined ? undefined : literalSource(pattern.slice(0, special)) + rest;
}

function trimTrailingSpaces(line: string): string {
  let end = line.length;
  let spaces = -1;
  for (let index = 0; index < line.length; index++) {
    if (line[index] === '\\') {
      index++;
      spaces = -1;
    } else if (line[index] !== ' ') spaces = -1;
    else if (spaces < 0) spaces = index;
  }
  if (spaces >= 0) end = spaces;
  return line.slice(0, end);
}
