import { channels, requiredRights, type Channel, type Right } from './rights.ts';

/** The rights of all channels for a Deployment, as the Markdown table of the manual. */
export function rightsTable(): string {
  const rows = channels.flatMap(rowsOf);
  const cells = [
    ['Channel', 'Resource', 'Verbs', 'More from 1.35', 'Needed'],
    ['---', '---', '---', '---', '---'],
    ...rows,
  ];
  return cells.map((row) => `| ${row.join(' | ')} |`).join('\n');
}

function rowsOf(channel: Channel): string[][] {
  const before = byResource(channel, 34);
  const after = byResource(channel, 35);
  return [...after].map(([line, rights]) => {
    const verbs = (before.get(line) ?? []).map((right) => right.verb);
    const more = rights.map((right) => right.verb).filter((verb) => !verbs.includes(verb));
    const [resource = '', needed = ''] = line.split(' ');
    return [channel, `\`${resource}\``, verbs.join(', '), more.join(', '), needed];
  });
}

/** One line of the table for each resource, and one more for what is optional of it. */
function byResource(channel: Channel, minor: number): Map<string, Right[]> {
  const grouped = new Map<string, Right[]>();
  for (const right of requiredRights({
    channel,
    targetKind: 'Deployment',
    serverVersion: { major: 1, minor },
  })) {
    const group = right.group === '' ? '' : `.${right.group}`;
    const resource = `${right.resource}${group}${right.subresource === undefined ? '' : `/${right.subresource}`}`;
    const line = `${resource} ${right.optional ? 'optional' : 'yes'}`;
    grouped.set(line, [...(grouped.get(line) ?? []), right]);
  }
  return grouped;
}
