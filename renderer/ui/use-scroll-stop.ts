import { useEffect, useState, type RefObject } from 'react';

const stops = 'a[href], button, input, select, textarea, summary, [tabindex="0"]';

/**
 * The `tabIndex` of a box that may scroll: the keyboard has to come into one that is longer than its place and has
 * nothing in it to stop at.
 */
export function useScrollStop(box: RefObject<HTMLElement | null>): 0 | -1 {
  const [stop, setStop] = useState(false);
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const look = () =>
      setStop(element.scrollHeight > element.clientHeight + 1 && element.querySelector(stops) === null);
    const observer = new ResizeObserver(look);
    observer.observe(element);
    // What is in it comes and goes while its place stays.
    const contents = new MutationObserver(() => {
      for (const child of element.children) observer.observe(child);
      look();
    });
    contents.observe(element, { childList: true });
    for (const child of element.children) observer.observe(child);
    look();
    return () => {
      observer.disconnect();
      contents.disconnect();
    };
  }, [box]);
  return stop ? 0 : -1;
}
