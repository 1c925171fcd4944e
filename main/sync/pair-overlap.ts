import { SlipwayError } from '../base/errors.ts';
import type { PairIdentity } from './pair.ts';

/**
 * What each pair has to leave to the others: a folder of the container that another pair has, as a pattern from its own
 * root. Two pairs on the same place would undo one another and are refused.
 */
export function nestedExcludes(
  pairs: readonly Pick<PairIdentity, 'localPath' | 'remotePath'>[],
): readonly (readonly string[])[] {
  return pairs.map((outer, index) =>
    pairs.flatMap((inner, other) => {
      if (other === index) return [];
      if (inner.remotePath === outer.remotePath) throw samePlace(inner.remotePath);
      const root = outer.remotePath.endsWith('/') ? outer.remotePath : `${outer.remotePath}/`;
      if (!inner.remotePath.startsWith(root)) return [];
      return [`/${literal(inner.remotePath.slice(root.length))}`];
    }),
  );
}

/** A path as a pattern of .gitignore that names it alone. */
function literal(path: string): string {
  return path.replaceAll(/[\\*?[\]!# ]/g, '\\$&');
}

function samePlace(remotePath: string): SlipwayError {
  return new SlipwayError({
    code: 'usage.invalid',
    message: `Two pairs have ${remotePath} of the container.`,
    cause: 'Each of them would undo what the other one does.',
    next: 'Give each pair a place of its own in the container.',
  });
}
