import { createContext, useContext, useLayoutEffect, useRef, type RefObject } from 'react';

/** Asked by a page's heading when it appears: whether the user has just come here, so that the focus belongs to it. */
export interface Arrival {
  /** True once after each arrival, unless the focus was moved elsewhere meanwhile. */
  take(): boolean;
}

export const ArrivalContext = createContext<Arrival | undefined>(undefined);

/** Gives the focus to a page's heading when the user comes to the page, so that a screen reader reads where it is. */
export function useArrival(): RefObject<HTMLHeadingElement | null> {
  const arrival = useContext(ArrivalContext);
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    if (arrival?.take() === true) heading.current?.focus({ preventScroll: true });
  }, [arrival]);
  return heading;
}
