import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const css = readFileSync(new URL('../../renderer/features/terminal/ansi.css', import.meta.url), 'utf8');

function colorsOf(theme: string): ReadonlyMap<string, string> {
  const block = css.split(`[data-theme='${theme}']`)[1]?.split('}')[0] ?? '';
  return new Map(
    [...block.matchAll(/--ansi-([\w]+): (#[\da-f]{6})/g)].map((match) => [match[1] ?? '', match[2] ?? '']),
  );
}

/** As WCAG 2 defines it. */
function luminance(color: string): number {
  const parts = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255);
  const [red = 0, green = 0, blue = 0] = parts.map((part) =>
    part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((left, right) => left - right);
  return (light + 0.05) / (dark + 0.05);
}

describe.each(['dark', 'light'])('the %s colours of terminals and logs', (theme) => {
  const colors = colorsOf(theme);
  const paper = colors.get('paper') ?? '';
  it.each(['ink', ...Array.from({ length: 16 }, (_, index) => String(index))])('can be read: %s', (name) => {
    // Black on dark is for backgrounds; terminals lift it where it is used for text.
    if (theme === 'dark' && name === '0') return;
    expect(contrast(colors.get(name) ?? '', paper)).toBeGreaterThanOrEqual(4.5);
  });
});
