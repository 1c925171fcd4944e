/** Does something once; resolves with how many milliseconds it took. */
export type AsyncStep = (signal: AbortSignal) => Promise<number>;

/** Does each step so many times, in turn, forwards and backwards by turns, so that none always follows the same one. */
export async function interleave<Name extends string>(
  steps: Readonly<Partial<Record<Name, AsyncStep>>>,
  rounds: number,
  signal: AbortSignal,
): Promise<Record<Name, number[]>> {
  const names = (Object.keys(steps) as Name[]).filter((name) => steps[name] !== undefined);
  const samples = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const step = steps[name];
      if (step !== undefined) samples[name].push(await step(signal));
    }
  }
  return samples;
}
