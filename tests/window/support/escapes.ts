import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Files with what a hostile program might print. */
export const escapeFiles = {
  sideEffects: 'side-effects.txt',
  links: 'links.txt',
  queries: 'queries.txt',
} as const;

const esc = '\u001b';
const bell = '\u0007';
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Clipboard, titles, notifications, colours, windows: what no program in a container may reach. */
const sideEffects = [
  `${esc}]52;c;${base64('hostile')}${bell}`,
  `${esc}]52;p;${base64('hostile')}${esc}\\`,
  `${esc}]0;hostile title${bell}${esc}]1;hostile title${bell}${esc}]2;hostile title${bell}`,
  `${esc}]9;hostile notice${bell}${esc}]777;notify;hostile;notice${bell}${esc}]1337;File=inline=1:${base64('x')}${bell}`,
  `${esc}]7;file://hostile/${bell}${esc}]133;A${bell}`,
  `${esc}]10;#ff0000${bell}${esc}]11;#ff0000${bell}${esc}]4;1;#ff0000${bell}`,
  `${esc}[3;0;0t${esc}[4;1;1t${esc}[8;2;2t${esc}[9;1t${esc}[2t`,
  `${esc}[22;0t${esc}[23;0t`,
].join('');

/**
 * Whatever a terminal may be asked, most of it with a command among the arguments: an answer that gave the argument
 * back with a line break would be typed into the shell and run.
 */
const command = '\rtouch /app/hostile\r';
const queries = [
  `${esc}[c${esc}[>c${esc}[=c${esc}[5n${esc}[6n${esc}[?6n${esc}[?15n${esc}[?26n${esc}[x`,
  `${esc}P$q"p${esc}\\${esc}P$qm${esc}\\${esc}P$qr${esc}\\${esc}P$q q${esc}\\`,
  `${esc}P$q${command}${esc}\\${esc}P+q544e${esc}\\${esc}P+q${Buffer.from(command).toString('hex')}${esc}\\`,
  `${esc}]2;${command}${bell}${esc}[21t${esc}[20t${esc}[14t${esc}[18t${esc}[19t${esc}[11t${esc}[13t`,
  `${esc}]52;c;${base64(command)}${bell}${esc}]52;c;?${bell}`,
  `${esc}]4;1;?${bell}${esc}]10;?${bell}${esc}]11;?${bell}${esc}]12;?${bell}${esc}]4;${command};?${bell}`,
  `${esc}[?1$p${esc}[4$p${esc}[>q${esc}[?u${esc}[?2026$p\u0005${esc}Z`,
].join('');

export interface WrittenLinks {
  /** Where the link really leads that says otherwise. */
  readonly hidden: string;
  readonly plain: string;
}

export function writeEscapes(folder: string, links: WrittenLinks): void {
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  write(escapeFiles.sideEffects, `${sideEffects}\nsaid it all\n`);
  write(escapeFiles.queries, queries);
  const link = (url: string, text: string): string => `${esc}]8;;${url}${esc}\\${text}${esc}]8;;${esc}\\\n`;
  write(
    escapeFiles.links,
    [
      link(links.hidden, 'see the handbook of the company'),
      link('javascript:globalThis.hostile=1', 'a script of the company'),
      link('file:///etc/passwd', 'a file of the company'),
      `${links.plain}\n`,
      'links end here\n',
    ].join(''),
  );
}
