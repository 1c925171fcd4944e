import { describe, expect, it } from 'vitest';
import { resourcePath } from './api-paths.ts';
import { resourceTypes } from './resource-types.ts';

describe('the path of an object', () => {
  it.each(['a/b', 'a?b', 'a#b', '%2e%2e', '..%2f', 'x/../../y'])('has %s as one part', (name) => {
    const path = resourcePath(resourceTypes.pod, { namespace: 'n', name });
    expect(new URL(path, 'http://server').pathname).toBe(path);
    expect(decodeURIComponent(path.slice('/api/v1/namespaces/n/pods/'.length))).toBe(name);
  });

  it.each(['.', '..', ''])('is refused for a name like "%s", which would lead elsewhere', (name) => {
    const refused = expect.objectContaining({ code: 'usage.invalid' }) as unknown;
    expect(() => resourcePath(resourceTypes.pod, { namespace: 'n', name })).toThrow(refused);
    expect(() => resourcePath(resourceTypes.pod, { namespace: name, name: 'p' })).toThrow(refused);
  });
});
