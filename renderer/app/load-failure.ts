/** Whether a part was not handed over by main, as each browser and the bundler's own loader put it. */
export function isLoadFailure(failure: unknown): boolean {
  if (!(failure instanceof Error)) return false;
  return /dynamically imported module|module script failed|preload CSS/i.test(failure.message);
}
