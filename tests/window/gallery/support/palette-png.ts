import { crc32, deflateSync } from 'node:zlib';
import type { PNG } from 'pngjs';

const mostColours = 256;

/**
 * A picture of a window with its most frequent colours alone: a third of the bytes, and what is given up is far below
 * what a comparison notices.
 */
export function palettePng({ data, width, height }: PNG): Buffer {
  const counts = new Map<number, number>();
  for (let at = 0; at < data.length; at += 4) {
    const colour = colourAt(data, at);
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const palette = frequent(counts);
  const places = new Map(palette.map((colour, place) => [colour, place]));
  for (const colour of counts.keys()) if (!places.has(colour)) places.set(colour, nearest(palette, colour));
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      rows[y * (width + 1) + 1 + x] = places.get(colourAt(data, (y * width + x) * 4)) ?? 0;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flatMap(channels))),
    chunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The most frequent colours, one of each few that look the same: the greys of letters leave room for the others. */
function frequent(counts: ReadonlyMap<number, number>): readonly number[] {
  const groups = new Map<number, { readonly colour: number; readonly most: number; readonly all: number }>();
  for (const [colour, count] of counts) {
    const group = groups.get(colour & 0xf8f8f8) ?? { colour, most: 0, all: 0 };
    groups.set(colour & 0xf8f8f8, {
      colour: count > group.most ? colour : group.colour,
      most: Math.max(count, group.most),
      all: group.all + count,
    });
  }
  return [...groups.values()]
    .sort((one, other) => other.all - one.all)
    .slice(0, mostColours)
    .map(({ colour }) => colour);
}

function colourAt(data: Buffer, at: number): number {
  return ((data[at] ?? 0) << 16) | ((data[at + 1] ?? 0) << 8) | (data[at + 2] ?? 0);
}

function channels(colour: number): [number, number, number] {
  return [colour >> 16, (colour >> 8) & 255, colour & 255];
}

function nearest(palette: readonly number[], colour: number): number {
  const [red, green, blue] = channels(colour);
  let best = 0;
  let least = Infinity;
  palette.forEach((candidate, place) => {
    const [r, g, b] = channels(candidate);
    const distance = (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2;
    if (distance < least) [best, least] = [place, distance];
  });
  return best;
}

function chunk(type: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(content.length, 0);
  frame.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([frame.subarray(0, 4), named, frame.subarray(4)]);
}
