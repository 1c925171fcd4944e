/** Says why a text is no whole number within the bounds; undefined when it is one. */
export function numberProblem(bounds: {
  readonly least: number;
  readonly most: number;
}): (text: string) => string | undefined {
  return (text) => {
    if (!/^\d{1,9}$/.test(text)) return 'A whole number.';
    const value = Number(text);
    if (value >= bounds.least && value <= bounds.most) return undefined;
    return `From ${bounds.least.toLocaleString('en')} to ${bounds.most.toLocaleString('en')}.`;
  };
}
