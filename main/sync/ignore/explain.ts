import { compileDevspaceLines } from './devspace-dialect.ts';
import { compileGitLines } from './git-dialect.ts';
import { createMatcher } from './matcher.ts';
import type { RuleList } from './rule-list.ts';

export type IgnoreDialect = 'git' | 'devspace';

export function compileLines(lines: readonly string[], dialect: IgnoreDialect): RuleList {
  return dialect === 'git' ? compileGitLines(lines) : compileDevspaceLines(lines);
}

/** Whether an ignore file's text ignores or keeps a path; a trailing slash means a folder. For trying rules. */
export function explainIgnore(
  text: string,
  path: string,
  dialect: IgnoreDialect = 'git',
): 'ignored' | 'kept' {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const isDirectory = path.endsWith('/');
  const clean = path.replace(/^\.?\/+|\/+$/g, '');
  return createMatcher(compileLines(lines, dialect)).excludes(clean, isDirectory) ? 'ignored' : 'kept';
}
