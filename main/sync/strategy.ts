/** Who decides when there is no common past, and who wins when both sides changed. */
export const strategies = [
  'mirrorLocal',
  'mirrorRemote',
  'preferLocal',
  'preferRemote',
  'preferNewest',
  'keepAll',
  'disabled',
] as const;

export type Strategy = (typeof strategies)[number];

export const defaultStrategy: Strategy = 'preferLocal';
