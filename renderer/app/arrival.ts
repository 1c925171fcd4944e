import { useLayoutEffect, useRef, useState } from 'react';
import type { Arrival } from '../ui/arrival.ts';

/**
 * Notices that the user has come to another page. The first page is none: a reload leaves the focus to the browser.
 * The focus is moved only while it is where it was when the page was left, or nowhere.
 */
export function useArrivals(subject: string): Arrival {
  const [state] = useState(() => ({ pending: false, focused: undefined as Element | null | undefined }));
  const last = useRef(subject);
  if (last.current !== subject) {
    last.current = subject;
    state.pending = true;
    state.focused = document.activeElement;
  }
  const [arrival] = useState<Arrival>(() => ({
    take() {
      const active = document.activeElement;
      const untouched = active === null || active === document.body || active === state.focused;
      const taken = state.pending && untouched;
      state.pending = false;
      return taken;
    },
  }));
  useLayoutEffect(
    () => () => {
      state.pending = false;
    },
    [state],
  );
  return arrival;
}
