import { useCallback, useState, type RefCallback } from 'react';

/** The width of an element in rem, in steps of one, so that a drag does not lay a page out again with each pixel. */
export function useWidth(): readonly [RefCallback<HTMLElement>, number] {
  const [width, setWidth] = useState(80);
  const ref = useCallback((element: HTMLElement | null) => {
    if (element === null) return undefined;
    const measure = () => {
      const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
      setWidth(Math.floor(element.clientWidth / rem));
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, []);
  return [ref, width];
}
