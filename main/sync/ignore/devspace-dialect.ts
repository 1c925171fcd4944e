import { hexEscape, asciiClass, namedClass } from './byte-class.ts';
import { compileGitLines } from './git-dialect.ts';
import type { RuleList } from './rule-list.ts';
import { createRule } from './rule-list.ts';

/*
 * DevSpace turns each pattern into a Go regular expression over the path with a leading slash, by a chain of
 * textual replacements that leave most of the expression syntax alive. What its users rely on is the result,
 * so the same steps are taken here on tokens, and the outcome is said in the syntax that both engines share.
 */

/** Compiles a list of DevSpace's exclude patterns so that each path is judged as DevSpace judges it. */
export function compileDevspaceLines(lines: readonly string[]): RuleList {
  const rules = lines.flatMap((line) => {
    const parsed = parseLine(line);
    if (parsed === undefined) return [];
    const source = patternSource(parsed.pattern);
    if (source === undefined || !isValid(source)) return [];
    return [createRule('regex', source, { negate: parsed.negate })];
  });
  return { cascade: false, rules: [...rules, ...keptParents(lines)], wire: wireRules(lines) };
}

/**
 * Rules for the other end, which knows git's cascade only: those after the last re-including line that mean the
 * same in both dialects. What it reports too much is filtered here.
 */
function wireRules(lines: readonly string[]): RuleList['rules'] {
  const lastNegation = lines.findLastIndex((line) => line.trimStart().startsWith('!'));
  const simple = lines
    .slice(lastNegation + 1)
    .map((line) => line.replace(/^ +| +$/g, ''))
    .filter((line) => /^(?:\/?[\w.-]+\/?|\*[\w.-]+)$/.test(line));
  return compileGitLines(simple).rules;
}

function isFastNegation(line: string): boolean {
  if (!line.startsWith('!/')) return false;
  const pattern = line.slice(1);
  return !pattern.includes('**') && !pattern.slice(0, pattern.lastIndexOf('/')).includes('*');
}

/** The folders on the way to a path that is re-included by its full name are never excluded. */
function keptParents(lines: readonly string[]): RuleList['rules'] {
  return lines
    .map((line) => line.replace(/^ +| +$/g, ''))
    .filter(isFastNegation)
    .flatMap((line) => {
      const parts = line.slice(2).split('/');
      const complete = parts.slice(0, -1);
      return complete.map((_, index) =>
        createRule('literal', `/${complete.slice(0, index + 1).join('/')}/`, {
          directoryOnly: true,
          negate: true,
        }),
      );
    });
}

function parseLine(raw: string): { readonly pattern: string; readonly negate: boolean } | undefined {
  let line = raw.replace(/\r+$/, '');
  if (line.startsWith('#')) return undefined;
  line = line.replace(/^ +| +$/g, '');
  if (line === '') return undefined;
  const negate = line.startsWith('!');
  if (negate) line = line.slice(1);
  if (/^\\[#!]/.test(line)) line = line.slice(1);
  if (/[^/+]\/.*\*\./.test(line) && !line.startsWith('/')) line = `/${line}`;
  return { pattern: line, negate };
}

/** The whole expression for one pattern, over the path with a leading slash; undefined when Go would refuse it. */
function patternSource(pattern: string): string | undefined {
  const anchored = pattern.startsWith('/') && !pattern.startsWith('/**/');
  const folder = pattern.endsWith('/') && !pattern.endsWith('**/');
  let rest = pattern.startsWith('/**/') ? pattern.slice(1) : pattern;
  if (anchored) rest = rest.slice(1);
  const body = bodySource(rest);
  if (body === undefined) return undefined;
  const tail = folder ? `(?:|${any}*)$` : `(?:|/${any}*)$`;
  return (anchored ? '^(?:|/)' : `^(?:|${any}*/)`) + body + tail;
}

/** Any character but a line feed, as Go's dot. */
const any = '[^\\x0a]';

function bodySource(pattern: string): string | undefined {
  let source = '';
  let index = 0;
  while (index < pattern.length) {
    const rest = pattern.slice(index);
    const taken = takeToken(rest);
    if (taken === undefined) return undefined;
    source += taken.source;
    index += taken.length;
  }
  return source;
}

interface Token {
  readonly source: string;
  readonly length: number;
}

const stars: readonly (readonly [text: string, source: string])[] = [
  ['/**/', `(?:/|/${any}+/)`],
  ['**/', `(?:|${any}*/)`],
  ['/**', `(?:|/${any}*)`],
  ['*', '([^/]*)'],
  ['?', '\\x3f'],
  ['.', '\\x2e'],
];

function takeToken(rest: string): Token | undefined {
  for (const [text, source] of stars) if (rest.startsWith(text)) return { source, length: text.length };
  if (rest.startsWith('[')) return takeClass(rest);
  if (rest.startsWith('\\')) return takeEscape(rest);
  if (rest.startsWith('{')) {
    const repeat = /^\{\d+(,\d*)?\}/.exec(rest)?.[0];
    return repeat === undefined
      ? { source: hexEscape(123), length: 1 }
      : { source: repeat, length: repeat.length };
  }
  const character = String.fromCodePoint(rest.codePointAt(0) ?? 0);
  if (/[()|+^$]/.test(character)) return { source: character, length: 1 };
  const code = character.codePointAt(0) ?? 0;
  if (code < 128 && !/[A-Za-z0-9/]/.test(character)) return { source: hexEscape(code), length: 1 };
  return { source: character, length: character.length };
}

/** What is left of a backslash after DevSpace's own escaping of dots and question marks. */
function takeEscape(rest: string): Token | undefined {
  const next = rest[1];
  if (next === undefined) return undefined;
  if (next === '*') return { source: '\\x2a', length: 2 };
  if (next === '.') return { source: `\\x5c${any}`, length: 2 };
  if (next === '?') return { source: '\\x5c?', length: 2 };
  if (/[dDwWbB]/.test(next)) return { source: `\\${next}`, length: 2 };
  if (next === 's') return { source: '[\\t\\n\\f\\r ]', length: 2 };
  if (next === 'S') return { source: '[^\\t\\n\\f\\r ]', length: 2 };
  const control = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 }[next];
  if (control !== undefined) return { source: hexEscape(control), length: 2 };
  if (/[A-Za-z0-9\u{80}-\u{10ffff}]/u.test(next)) return undefined;
  return { source: hexEscape(next.charCodeAt(0)), length: 2 };
}

function takeClass(rest: string): Token | undefined {
  let index = 1;
  const negated = rest[index] === '^';
  if (negated) index++;
  const codes = new Set<number>();
  let others = '';
  for (let first = true; first || rest[index] !== ']'; first = false) {
    const named = /^\[:(\^?)([a-z]+):\]/.exec(rest.slice(index));
    if (named !== null) {
      const members = namedClass(named[2] ?? '');
      if (members === undefined) return undefined;
      for (let code = 0; code < 128; code++) if (members(code) !== (named[1] === '^')) codes.add(code);
      index += named[0].length;
      continue;
    }
    const from = classCharacter(rest, index);
    if (from === undefined) return undefined;
    index = from.end;
    let to = from;
    if (rest[index] === '-' && rest[index + 1] !== undefined && rest[index + 1] !== ']') {
      const end = classCharacter(rest, index + 1);
      if (end === undefined || end.code < from.code) return undefined;
      to = end;
      index = end.end;
    }
    for (let code = from.code; code <= Math.min(to.code, 127); code++) codes.add(code);
    if (to.code > 127) {
      others += `${String.fromCodePoint(Math.max(from.code, 128))}-${String.fromCodePoint(to.code)}`;
    }
  }
  const ascii = asciiClass((code) => codes.has(code))?.slice(1, -1) ?? '';
  if (ascii + others === '') return undefined;
  return { source: `[${negated ? '^' : ''}${ascii}${others}]`, length: index + 1 };
}

function classCharacter(
  text: string,
  index: number,
): { readonly code: number; readonly end: number } | undefined {
  let position = index;
  if (text[position] === '\\') {
    position++;
    if (text[position] === undefined || /[A-Za-z0-9]/.test(text[position] ?? '')) return undefined;
  }
  const code = text.codePointAt(position);
  return code === undefined ? undefined : { code, end: position + (code > 0xffff ? 2 : 1) };
}

function isValid(source: string): boolean {
  try {
    new RegExp(source, 'u');
    return true;
  } catch {
    return false;
  }
}
