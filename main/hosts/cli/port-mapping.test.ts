import { describe, expect, it } from 'vitest';
import { parsePortMapping } from './port-mapping.ts';

describe('a port mapping', () => {
  it.each([
    ['8080', 8080, 8080],
    ['8080:80', 8080, 80],
    ['1:65535', 1, 65535],
  ])('%s forwards %i to %i', (text, local, remote) => {
    expect(parsePortMapping(text)).toEqual({ local, remote });
  });

  it.each(['', '0', '80:0', '65536', '80:', ':80', '80:80:80', 'http', '-1', '1e3', '8 0'])(
    '%j is refused',
    (text) => {
      expect(() => parsePortMapping(text)).toThrow(expect.objectContaining({ code: 'usage.invalid' }));
    },
  );
});
