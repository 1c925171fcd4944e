import { SlipwayError } from '../../base/errors.ts';

export interface PortMapping {
  readonly local: number;
  readonly remote: number;
}

/** Reads `LOCAL[:REMOTE]`; without a remote port both are the same. */
export function parsePortMapping(text: string): PortMapping {
  const match = /^(\d{1,5})(?::(\d{1,5}))?$/.exec(text);
  const local = Number(match?.[1]);
  const remote = Number(match?.[2] ?? match?.[1]);
  if (!isPort(local) || !isPort(remote)) {
    throw new SlipwayError({
      code: 'usage.invalid',
      message: `"${text}" is not a port mapping.`,
      cause: 'A mapping is LOCAL or LOCAL:REMOTE with ports from 1 to 65535.',
      next: 'Write it like 8080 or 8080:80.',
    });
  }
  return { local, remote };
}

function isPort(value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= 65535;
}
