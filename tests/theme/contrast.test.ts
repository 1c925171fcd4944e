import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const css = readFileSync(new URL('../../renderer/theme/tokens.css', import.meta.url), 'utf8');

/** The custom properties of one theme. */
function tokensOf(theme: 'dark' | 'light'): ReadonlyMap<string, string> {
  const block = new RegExp(`:root\\[data-theme='${theme}'\\] \\{([^}]*)\\}`).exec(css)?.[1] ?? '';
  return new Map(
    [...block.matchAll(/--([\w-]+):\s*([^;]+);/g)].map((match) => [match[1]!, match[2]!.trim()]),
  );
}

type Rgb = readonly [number, number, number];

function rgb(hex: string): Rgb {
  const digits = /^#([0-9a-f]{6})$/.exec(hex)?.[1];
  if (digits === undefined) throw new Error(`${hex} is not a colour in six digits`);
  return [0, 2, 4].map((at) => Number.parseInt(digits.slice(at, at + 2), 16)) as unknown as Rgb;
}

/** Relative luminance, as WCAG 2 defines it. */
function luminance(color: Rgb): number {
  const [red, green, blue] = color.map((byte) => {
    const part = byte / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

function contrast(one: Rgb, other: Rgb): number {
  const [light, dark] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return (light! + 0.05) / (dark! + 0.05);
}

const surfaces = ['surface-0', 'surface-1', 'surface-2', 'surface-3'];
const tones = ['ok', 'warn', 'error', 'info'];
const colors = ['slate', 'blue', 'teal', 'green', 'amber', 'orange', 'red', 'pink', 'violet'];

/** Text and what it may stand on: 4.5 to 1. */
const textPairs: readonly (readonly [string, readonly string[]])[] = [
  ['text', [...surfaces, 'accent-surface', ...tones.map((tone) => `${tone}-surface`)]],
  ['text-muted', [...surfaces, 'accent-surface', ...tones.map((tone) => `${tone}-surface`)]],
  ['text-faint', ['surface-0', 'surface-1', 'surface-2']],
  ['accent', [...surfaces, 'accent-surface']],
  ...tones.map((tone) => [tone, [...surfaces, 'accent-surface', `${tone}-surface`]] as const),
  ['on-accent-fill', ['accent-fill', 'accent-fill-hover']],
  ['on-error-fill', ['error-fill', 'error-fill-hover']],
  ...colors.map((color) => [`cluster-${color}`, ['surface-2', `cluster-${color}-surface`]] as const),
];

/** Edges of controls, focus rings and signs: 3 to 1. */
const signPairs: readonly (readonly [string, readonly string[]])[] = [
  ['line-strong', ['surface-0', 'surface-1', 'surface-2']],
  ['accent', [...surfaces, 'accent-surface']],
  ['accent-fill', ['surface-0', 'surface-1']],
];

describe.each(['dark', 'light'] as const)('the %s theme', (theme) => {
  const tokens = tokensOf(theme);
  const colorOf = (name: string) => rgb(tokens.get(name) ?? `missing ${name}`);
  const cases = (pairs: typeof textPairs) =>
    pairs.flatMap(([front, backs]) => backs.map((back) => [front, back] as const));

  it.each(cases(textPairs))('lets %s be read on %s', (front, back) => {
    expect(contrast(colorOf(front), colorOf(back))).toBeGreaterThanOrEqual(4.5);
  });

  it.each(cases(signPairs))('lets %s be seen on %s', (front, back) => {
    expect(contrast(colorOf(front), colorOf(back))).toBeGreaterThanOrEqual(3);
  });
});

it('gives both themes the same colours', () => {
  expect([...tokensOf('light').keys()]).toEqual([...tokensOf('dark').keys()]);
});
