import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compileGitLines } from './git-dialect.ts';
import { createMatcher } from './matcher.ts';
import type { RuleMatch } from './rule-list.ts';
import { createRule } from './rule-list.ts';

interface RuleCase {
  readonly title: string;
  readonly patterns: readonly string[];
  readonly rules: readonly {
    readonly match: RuleMatch;
    readonly text: string;
    readonly basename: boolean;
    readonly directoryOnly: boolean;
    readonly negate: boolean;
  }[];
  /** What git says. */
  readonly paths: Readonly<Record<string, 'ignored' | 'kept'>>;
}

const folder = new URL('../../../tests/vectors/rules/', import.meta.url);

/** The same files are read by the helper's tests, so that both matchers are held to git. */
describe('rule lists that both languages evaluate', () => {
  for (const name of readdirSync(folder)) {
    const vector = JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as RuleCase;
    const rules = vector.rules.map(({ match, text, ...options }) => createRule(match, text, options));
    it(vector.title, () => {
      const matcher = createMatcher({ cascade: true, rules, wire: rules });
      const answers = Object.keys(vector.paths).map((path) => {
        const excluded = matcher.excludes(path.replace(/\/$/, ''), path.endsWith('/'));
        return [path, excluded ? 'ignored' : 'kept'];
      });
      expect(Object.fromEntries(answers)).toEqual(vector.paths);
      expect(compileGitLines(vector.patterns).rules).toEqual(rules);
    });
  }
});
