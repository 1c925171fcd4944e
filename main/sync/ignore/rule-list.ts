import type { Rule } from '../../helper/gen/slipway/helper/v1/helper.ts';
import { Rule_Match } from '../../helper/gen/slipway/helper/v1/helper.ts';

/**
 * Exclude rules in the neutral form that both dialects compile to and both languages evaluate. The last rule that
 * matches decides. `cascade` (git): an excluded directory excludes everything below it, whatever later rules say.
 * Without it (DevSpace) each rule matches whole trees itself, over the path with a slash before it (and after it,
 * for a directory), and a later rule can bring a child back.
 */
export interface RuleList {
  readonly cascade: boolean;
  readonly rules: readonly Rule[];
  /** What the other end gets: evaluated with cascade, it excludes nothing that `rules` keep. */
  readonly wire: readonly Rule[];
}

export type RuleMatch = 'literal' | 'prefix' | 'suffix' | 'regex';

const matchNumbers: Record<RuleMatch, Rule_Match> = {
  literal: Rule_Match.MATCH_LITERAL,
  prefix: Rule_Match.MATCH_PREFIX,
  suffix: Rule_Match.MATCH_SUFFIX,
  regex: Rule_Match.MATCH_REGEX,
};

export function createRule(
  match: RuleMatch,
  text: string,
  options: { readonly basename?: boolean; readonly directoryOnly?: boolean; readonly negate?: boolean } = {},
): Rule {
  return {
    match: matchNumbers[match],
    text,
    basename: options.basename ?? false,
    directoryOnly: options.directoryOnly ?? false,
    negate: options.negate ?? false,
  };
}
