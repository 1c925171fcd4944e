import { createContext, useContext } from 'react';

/** Why nothing can be done at present (main is gone), or undefined: set by the frame, read by buttons and menus. */
export const BlockedContext = createContext<string | undefined>(undefined);

/**
 * Whether what is shown of anything that goes on may be old: nobody tells of it at present. The same as being blocked,
 * as both mean that main is gone.
 */
export function useStale(): boolean {
  return useBlocked() !== undefined;
}

/** The reason for which actions are off, as {@link BlockedContext} has it. */
export function useBlocked(): string | undefined {
  return useContext(BlockedContext);
}
