/** Longest wait for the font before the first paint, in milliseconds. */
const patience = 300;

/** Resolves when the text font is there, or after a short while without it: so that no text jumps after the first paint. */
export async function fontReady(): Promise<void> {
  const late = new Promise<void>((resolve) => setTimeout(resolve, patience));
  const loaded = document.fonts.load('13px "Inter Variable"').then(
    () => undefined,
    () => undefined,
  );
  await Promise.race([loaded, late]);
}
