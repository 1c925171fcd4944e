import { describe, expect, it } from 'vitest';
import { dockerfilePlaces } from './dockerfile.ts';

describe('what a Dockerfile says about places', () => {
  it.each([
    ['FROM a\nWORKDIR /app\nCOPY . .', '/app', '/app'],
    ['FROM a\nCOPY . /srv/', undefined, '/srv'],
    ['FROM a\nWORKDIR /app\nCOPY package.json ./\nRUN x\nCOPY ./ ./src', '/app', '/app/src'],
    ['FROM a\nWORKDIR /a\nWORKDIR b\nADD ["." , "."]', '/a/b', '/a/b'],
    [
      'FROM a AS build\nWORKDIR /build\nCOPY . .\nFROM b\nWORKDIR "/run"\nCOPY --from=build /x /y',
      '/run',
      undefined,
    ],
    ['FROM a\nWORKDIR $HOME\nCOPY --chown=1:1 . .', undefined, undefined],
    ['from a\nworkdir /app\ncopy \\\n  . \\\n  /app # no\n', '/app', undefined],
    ['# WORKDIR /no\nFROM a\nWORKDIR /../app/', '/app', undefined],
    ['COPY ["broken', undefined, undefined],
    ['', undefined, undefined],
  ])('%j: working folder %s, context at %s', (text, workingFolder, contextCopiedTo) => {
    expect(dockerfilePlaces(text)).toEqual({ workingFolder, contextCopiedTo });
  });
});
