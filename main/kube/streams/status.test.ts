import { describe, expect, it } from 'vitest';
import { interpretStatus, parseStatus } from './status.ts';

const nonZero = (message: unknown): unknown => ({
  status: 'Failure',
  reason: 'NonZeroExitCode',
  message: 'command terminated',
  details: { causes: [{ reason: 'ExitCode', message }] },
});

describe('the status of a command', () => {
  it.each([
    ['success', { status: 'Success' }, { kind: 'exited', code: 0 }],
    ['an exit code', nonZero('7'), { kind: 'exited', code: 7 }],
    [
      'a code among other causes',
      {
        status: 'Failure',
        details: {
          causes: [
            { reason: 'Other', message: '9' },
            { reason: 'ExitCode', message: '137' },
          ],
        },
      },
      { kind: 'exited', code: 137 },
    ],
    [
      'a failure without a code',
      { status: 'Failure', reason: 'InternalError', message: 'no such container' },
      { kind: 'failed', reason: 'InternalError', message: 'no such container' },
    ],
    [
      'a code that is no number',
      nonZero('7; rm'),
      { kind: 'failed', reason: 'NonZeroExitCode', message: 'command terminated' },
    ],
    [
      'a failure that claims code 0',
      nonZero('0'),
      { kind: 'failed', reason: 'NonZeroExitCode', message: 'command terminated' },
    ],
    [
      'causes that are no list',
      { status: 'Failure', details: { causes: 'x' } },
      { kind: 'failed', reason: 'Unknown', message: 'The server gave no message.' },
    ],
  ])('reads %s', (_name, status, expected) => {
    expect(interpretStatus(status)).toEqual(expected);
  });

  it.each([
    ['null', null],
    ['a list', []],
    ['a number', 3],
    ['no status field', {}],
    ['an unknown status', { status: 'Fine' }],
  ])('never takes %s for a success', (_name, status) => {
    expect(interpretStatus(status)).toMatchObject({ kind: 'failed', reason: 'MalformedStatus' });
  });

  it('waits for the rest of an incomplete message', () => {
    expect(parseStatus('{"status":"Succ')).toBeUndefined();
    expect(parseStatus('{"status":"Success"}')).toEqual({ kind: 'exited', code: 0 });
  });
});
