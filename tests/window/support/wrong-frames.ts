import { z } from 'zod';
import { api } from '../../../contract/api.ts';
import type { AnyContract } from '../../../contract/define.ts';
import { wireLimits } from '../../../contract/wire.ts';

/** What no field of the contract takes, whatever it is for; some take the one or the other. */
const wrongValues: readonly unknown[] = [
  null,
  -1,
  1.5e300,
  true,
  '',
  '\u0000',
  '../../etc/passwd',
  'x'.repeat(10_000),
  [],
  [[[[]]]],
  {},
  { toString: 1, constructor: { prototype: {} } },
];

/** Frames with an id of their own each, of which none may reach a handler. */
export function wrongFrames(): readonly object[] {
  const frames: object[] = [];
  const add = (frame: object): void => void frames.push({ ...frame, id: frames.length + 1 });
  for (const [name, contract] of Object.entries(api as Readonly<Record<string, AnyContract>>)) {
    const schema = contract.kind === 'method' ? contract.input : contract.params;
    for (const value of wrongInputs(schema)) {
      if (schema.safeParse(value).success) continue;
      if (contract.kind === 'method') add({ t: 'call', name, input: value });
      else if (contract.kind === 'state') add({ t: 'watch', name, params: value });
      else add({ t: 'open', name, params: value, credit: 1 });
    }
    // As something that it is not.
    add({ t: contract.kind === 'method' ? 'watch' : 'call', name, params: {}, input: {} });
    add({ t: 'open', name, params: {}, credit: wireLimits.credit + 1 });
  }
  for (const name of [
    '',
    '__proto__',
    'constructor',
    'toString',
    'sessions',
    'sessions.start ',
    'x'.repeat(100),
  ])
    for (const t of ['call', 'watch', 'open', 'launch']) add({ t, name, input: {}, params: {}, credit: 1 });
  return frames;
}

/** Every field wrong in the same way, fields that are none, and no object at all. */
function wrongInputs(schema: z.ZodType): readonly unknown[] {
  const fields = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  const all = (value: unknown): object => Object.fromEntries(fields.map((field) => [field, value]));
  return [
    ...wrongValues,
    ...wrongValues.map(all),
    { ...all('a'), more: 1 },
    JSON.parse('{"__proto__":{"a":1}}'),
  ];
}

export const notFrames: readonly string[] = [
  '',
  'null',
  '[]',
  '1',
  '"call"',
  '{',
  '{"t":',
  '{"t":"call"}',
  '{"t":"call","id":0,"name":"app.clearTasks","input":{}}',
  '{"t":"call","id":-1,"name":"app.clearTasks","input":{}}',
  '{"t":"call","id":4294967296,"name":"app.clearTasks","input":{}}',
  '{"t":"call","id":"1","name":"app.clearTasks","input":{}}',
  `${'['.repeat(50_000)}${']'.repeat(50_000)}`,
  '\u0000',
];
