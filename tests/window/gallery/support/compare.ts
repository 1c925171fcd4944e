import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pixelmatch from 'pixelmatch';
import { PNG } from 'pngjs';
import { palettePng } from './palette-png.ts';

const folder = fileURLToPath(new URL('../../screenshots/', import.meta.url));
/** `SLIPWAY_TEST_UPDATE=1` writes the pictures anew instead of comparing them. */
const updates = process.env['SLIPWAY_TEST_UPDATE'] === '1';
/** How different a pixel may be before it counts, and how many of them may count. */
const pixelThreshold = 0.12;
const differingShare = 0.005;

/** Undefined when the picture is as it was kept; else what differs, with the places of both and of the difference. */
export function comparePicture(name: string, taken: Buffer): string | undefined {
  const path = join(folder, `${name}.png`);
  const actual = PNG.sync.read(taken);
  if (!existsSync(path)) {
    if (updates) return keep(path, actual);
    return `There is no picture ${name}: write it with npm run screenshots.${leave(name, { actual })}`;
  }
  const expected = PNG.sync.read(readFileSync(path));
  const { width, height } = expected;
  if (width !== actual.width || height !== actual.height) {
    if (updates) return keep(path, actual);
    return `${name} is ${actual.width}×${actual.height}, and was ${width}×${height}.${leave(name, { actual })}`;
  }
  const diff = new PNG({ width, height });
  const differing = pixelmatch(expected.data, actual.data, diff.data, width, height, {
    threshold: pixelThreshold,
  });
  if (differing <= width * height * differingShare) return undefined;
  if (updates) return keep(path, actual);
  const percent = ((100 * differing) / (width * height)).toFixed(2);
  return `${name} differs in ${percent} % of its pixels.${leave(name, { actual, diff })}`;
}

function keep(path: string, picture: PNG): undefined {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, palettePng(picture));
}

function leave(name: string, parts: Readonly<Record<string, PNG>>): string {
  const place = join(tmpdir(), 'slipway-screenshots');
  mkdirSync(place, { recursive: true });
  const paths = Object.entries(parts).map(([part, picture]) => {
    const path = join(place, `${name}.${part}.png`);
    writeFileSync(path, PNG.sync.write(picture));
    return path;
  });
  return ` See ${paths.join(' and ')}`;
}
