const steps = [80, 90, 100, 110, 125, 150, 175, 200];

/** The usual steps, and the present one where the keyboard made another. */
export function zoomOptions(zoom: number): readonly { readonly value: string; readonly label: string }[] {
  const present = Math.round(zoom * 100);
  const all = steps.includes(present) ? steps : [...steps, present].toSorted((left, right) => left - right);
  return all.map((percent) => ({ value: String(percent), label: `${percent} %` }));
}
