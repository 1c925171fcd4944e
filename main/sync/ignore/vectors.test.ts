import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { explainIgnore } from './explain.ts';

interface IgnoreCase {
  readonly title: string;
  readonly patterns: readonly string[];
  readonly paths: Readonly<Record<string, 'ignored' | 'kept'>>;
}

function casesOf(folder: string): readonly IgnoreCase[] {
  const url = new URL(`../../../tests/vectors/${folder}/`, import.meta.url);
  return readdirSync(url).map((name) => JSON.parse(readFileSync(new URL(name, url), 'utf8')) as IgnoreCase);
}

function answers(vector: IgnoreCase, dialect: 'git' | 'devspace'): Record<string, string> {
  const text = vector.patterns.join('\n');
  return Object.fromEntries(
    Object.keys(vector.paths).map((path) => [path, explainIgnore(text, path, dialect)]),
  );
}

describe("git's dialect", () => {
  for (const vector of casesOf('ignore')) {
    it(vector.title, () => expect(answers(vector, 'git')).toEqual(vector.paths));
  }
});

describe("DevSpace's dialect", () => {
  const different = casesOf('ignore-reference');
  const titles = new Set(different.map((vector) => vector.title));
  for (const vector of different) {
    it(`${vector.title} (differs from git)`, () => expect(answers(vector, 'devspace')).toEqual(vector.paths));
  }
  for (const vector of casesOf('ignore').filter(({ title }) => !titles.has(title))) {
    it(`${vector.title} (as git)`, () => expect(answers(vector, 'devspace')).toEqual(vector.paths));
  }
});
