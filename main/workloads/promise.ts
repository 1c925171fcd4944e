import type { Strategy } from '../sync/strategy.ts';

/**
 * What becomes of files that both sides have and that differ, in one or two sentences that hold whatever is found.
 * `hasPast`: the pair was in sync before, so its next sync goes on from what both sides agreed on.
 */
export function promiseOf(strategy: Strategy, hasPast: boolean): string {
  if (hasPast) {
    return `This folder and this workload were in sync before, so what changed since then travels, and where both sides changed, ${winner(strategy)}. What is replaced or deleted on this machine goes to Slipway's trash.`;
  }
  return `${first(strategy)} Nothing on this machine is overwritten or deleted by the first sync without asking you.`;
}

function winner(strategy: Strategy): string {
  switch (strategy) {
    case 'preferLocal':
    case 'mirrorLocal':
      return 'the version of this machine wins';
    case 'preferRemote':
    case 'mirrorRemote':
      return "the container's version wins";
    case 'preferNewest':
      return 'the newer one wins, or you are asked where the clocks cannot tell';
    case 'keepAll':
    case 'disabled':
      return 'you are asked';
  }
}

function first(strategy: Strategy): string {
  const fetched = "the container's version is first fetched into Slipway's trash on this machine";
  switch (strategy) {
    case 'preferLocal':
      return `Where both sides have a file and they differ, this machine's version wins; ${fetched}.`;
    case 'mirrorLocal':
      return `The container's folder becomes like this one; what is replaced or deleted there is first fetched into Slipway's trash on this machine.`;
    case 'preferRemote':
      return `Where both sides have a file and they differ, the container's version is to win; this machine's goes to Slipway's trash.`;
    case 'mirrorRemote':
      return `This folder is to become like the container's; what is replaced or deleted goes to Slipway's trash.`;
    case 'preferNewest':
      return `Where both sides have a file and they differ, the newer one is to win and the other goes to Slipway's trash; where the clocks cannot tell, you are asked.`;
    case 'keepAll':
      return 'Where both sides have a file and they differ, both stay as they are until you choose.';
    case 'disabled':
      return 'What lies on both sides before stays as it is; only what changes from then on travels, and where both have a file that differs, you are asked.';
  }
}
