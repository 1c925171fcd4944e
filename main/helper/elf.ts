const names: Readonly<Record<number, string>> = {
  3: '386',
  8: 'mips',
  20: 'ppc',
  21: 'ppc64',
  22: 's390x',
  40: 'arm',
  62: 'amd64',
  183: 'arm64',
  243: 'riscv64',
  258: 'loong64',
};

/** How many bytes of a binary {@link readArchitecture} needs. */
export const elfHeaderLength = 20;

/** The CPU that a Linux binary is for, by the machine number of its ELF header; undefined for anything else. */
export function readArchitecture(header: Uint8Array): string | undefined {
  const bytes = Buffer.from(header.buffer, header.byteOffset, header.byteLength);
  if (bytes.length < elfHeaderLength || bytes.readUInt32BE(0) !== 0x7f454c46) return undefined;
  const machine = bytes[5] === 2 ? bytes.readUInt16BE(18) : bytes.readUInt16LE(18);
  return names[machine] ?? `machine ${machine}`;
}
