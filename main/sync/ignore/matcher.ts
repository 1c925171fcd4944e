import type { Rule } from '../../helper/gen/slipway/helper/v1/helper.ts';
import { Rule_Match } from '../../helper/gen/slipway/helper/v1/helper.ts';
import { SlipwayError, assertNever } from '../../base/errors.ts';
import type { TextTest } from './linear-expression.ts';
import { linearTest } from './linear-expression.ts';
import type { RuleList } from './rule-list.ts';

export interface PathMatcher {
  /** `path` is relative with '/' between its parts. */
  excludes(path: string, isDirectory: boolean): boolean;
}

type Test = (path: string, basename: string, isDirectory: boolean) => boolean;

/** Verdicts on directories that are remembered at a time. */
const directoryCacheLimit = 65_536;
/** A rule longer than this is a mistake or an attack. */
const ruleTextLimit = 4096;

/** Makes the one matcher that decides for both directions. Throws `sync.rules-invalid` for a rule that cannot be evaluated. */
export function createMatcher(list: RuleList): PathMatcher {
  const tests = list.rules.map((rule) => ({ test: compile(rule), negate: rule.negate }));
  if (tests.length === 0) return { excludes: () => false };

  const decide = (path: string, isDirectory: boolean): boolean => {
    const basename = path.slice(path.lastIndexOf('/') + 1);
    const subject = list.cascade ? path : `/${path}${isDirectory ? '/' : ''}`;
    const last = tests.findLast(({ test }) => test(subject, basename, isDirectory));
    return last !== undefined && !last.negate;
  };
  if (!list.cascade) return { excludes: decide };

  const directories = new Map<string, boolean>();
  const directoryExcluded = (path: string): boolean => {
    const known = directories.get(path);
    if (known !== undefined) return known;
    const slash = path.lastIndexOf('/');
    const verdict = (slash > 0 && directoryExcluded(path.slice(0, slash))) || decide(path, true);
    if (directories.size >= directoryCacheLimit) directories.clear();
    directories.set(path, verdict);
    return verdict;
  };
  return {
    excludes(path, isDirectory) {
      if (isDirectory) return directoryExcluded(path);
      const slash = path.lastIndexOf('/');
      return (slash > 0 && directoryExcluded(path.slice(0, slash))) || decide(path, false);
    },
  };
}

function compile(rule: Rule): Test {
  if (rule.text.length > ruleTextLimit) throw invalid(rule, 'It is too long.');
  const matches = compileText(rule);
  const { basename: useBasename, directoryOnly } = rule;
  return (path, basename, isDirectory) =>
    (!directoryOnly || isDirectory) && matches(useBasename ? basename : path);
}

function compileText(rule: Rule): (subject: string) => boolean {
  const text = rule.text;
  switch (rule.match) {
    case Rule_Match.MATCH_LITERAL:
      return (subject) => subject === text;
    case Rule_Match.MATCH_PREFIX:
      return (subject) => subject.startsWith(text);
    case Rule_Match.MATCH_SUFFIX:
      return (subject) => subject.endsWith(text);
    case Rule_Match.MATCH_REGEX:
      return compileExpression(rule);
    default:
      throw invalid(rule, 'Its kind is unknown.');
  }
}

/** Rules may come from a repository: none may keep the event loop, whatever path it meets. */
function compileExpression(rule: Rule): TextTest {
  try {
    new RegExp(rule.text, 'u');
  } catch (error) {
    throw invalid(rule, error instanceof Error ? error.message : String(error));
  }
  const linear = linearTest(rule.text);
  switch (linear.kind) {
    case 'test':
      return linear.test;
    case 'too-large':
      throw invalid(rule, 'It repeats too much.');
    case 'unsupported':
      throw invalid(rule, 'It has syntax that is not supported.');
    default:
      return assertNever(linear);
  }
}

function invalid(rule: Rule, cause: string): SlipwayError {
  return new SlipwayError({
    code: 'sync.rules-invalid',
    message: `The exclude rule ${JSON.stringify(rule.text.slice(0, 80))} cannot be used`,
    cause,
    next: 'Correct or remove the pattern.',
  });
}
