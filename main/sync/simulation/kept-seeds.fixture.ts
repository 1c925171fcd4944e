/**
 * Histories that once went wrong. They stay as long as the generator of histories does; when that changes, the kind of
 * bug stays covered by the seeds that every test run draws, and the names here tell what they are about.
 */
export const keptSeeds: readonly { readonly seed: number; readonly what: string }[] = [];
