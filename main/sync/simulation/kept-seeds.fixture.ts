/**
 * Histories that once went wrong. They stay as long as the generator of histories does; when that changes, the kind of
 * bug stays covered by the seeds that every test run draws, and the names here tell what they are about.
 */
export const keptSeeds: readonly { readonly seed: number; readonly what: string }[] = [
  { seed: 14, what: 'a folder that cannot be read at a start is not an empty one' },
  { seed: 44, what: 'what is in a folder is decided anew once that can be read again' },
  { seed: 71, what: 'a deletion that waits for another try of its own does not keep the loop awake' },
  { seed: 147, what: 'a file read too soon after its last change is read again by the next start' },
  { seed: 244, what: 'another question that was answered about a path is no consent' },
  { seed: 393, what: 'something excluded in the way of a path is said instead of tried for ever' },
  { seed: 519, what: 'a choice does not change the side that a pair of one way only reads' },
  { seed: 727, what: 'what did not fit on a full disk at the first sync of one way is sent later' },
  { seed: 1260, what: 'a path that was an excluded folder and is a file now takes part again' },
  { seed: 1382, what: 'a full disk is forgotten once another try ended otherwise' },
  { seed: 2212, what: 'a file made in a folder that is being deleted keeps nothing from being decided' },
];
