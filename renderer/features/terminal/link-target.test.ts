import { describe, expect, it } from 'vitest';
import { linkTarget } from './link-target.ts';

describe('the target of a link', () => {
  it.each([
    ['https://example.com/a?b#c', 'https://example.com/a?b#c', 'example.com', false],
    ['http://localhost:3000', 'http://localhost:3000/', 'localhost:3000', false],
    ['https://bank.example@evil.example/', 'https://bank.example@evil.example/', 'evil.example', true],
    ['https://exаmple.com', 'https://xn--exmple-4nf.com/', 'xn--exmple-4nf.com', true],
    ['HTTPS://EXAMPLE.COM', 'https://example.com/', 'example.com', false],
  ])('of %s', (text, url, host, warns) => {
    const target = linkTarget(text);
    expect(target).toMatchObject({ url, host });
    expect(target?.warning !== undefined).toBe(warns);
  });

  it.each([
    'javascript' + ':alert(1)',
    'file:///etc/passwd',
    'vscode://x',
    'data:text/html,x',
    'nothing',
    '',
    'https://',
  ])('is none for %s', (text) => expect(linkTarget(text)).toBeUndefined());

  it('is none for one that is too long', () => {
    expect(linkTarget(`https://example.com/${'x'.repeat(3000)}`)).toBeUndefined();
  });
});
