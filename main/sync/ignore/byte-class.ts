/** Regular-expression source that matches one ASCII character of the set, in the syntax that RE2 and ECMAScript share. */
export function asciiClass(members: (code: number) => boolean): string | undefined {
  const ranges: string[] = [];
  for (let code = 0; code < 128; code++) {
    if (!members(code)) continue;
    let end = code;
    while (end + 1 < 128 && members(end + 1)) end++;
    ranges.push(code === end ? hexEscape(code) : `${hexEscape(code)}-${hexEscape(end)}`);
    code = end;
  }
  return ranges.length === 0 ? undefined : `[${ranges.join('')}]`;
}

export function hexEscape(code: number): string {
  return `\\x${code.toString(16).padStart(2, '0')}`;
}

/** A literal text as regular-expression source: everything but letters, digits and non-ASCII is escaped. */
export function literalSource(text: string): string {
  return text.replace(/[^A-Za-z0-9_/\u{80}-\u{10ffff}]/gu, (character) =>
    hexEscape(character.codePointAt(0) ?? 0),
  );
}

const namedClasses: Record<string, (code: number) => boolean> = {
  alnum: (code) => isDigit(code) || isUpper(code) || isLower(code),
  alpha: (code) => isUpper(code) || isLower(code),
  blank: (code) => code === 32 || code === 9,
  cntrl: (code) => code < 32 || code === 127,
  digit: isDigit,
  graph: (code) => code > 32 && code < 127,
  lower: isLower,
  print: (code) => code >= 32 && code < 127,
  punct: (code) => code > 32 && code < 127 && !isDigit(code) && !isUpper(code) && !isLower(code),
  space: (code) => code === 32 || (code >= 9 && code <= 13),
  upper: isUpper,
  xdigit: (code) => isDigit(code) || (code >= 65 && code <= 70) || (code >= 97 && code <= 102),
};

/** Members of a POSIX class such as `digit` among ASCII; undefined for a name that does not exist. */
export function namedClass(name: string): ((code: number) => boolean) | undefined {
  return Object.hasOwn(namedClasses, name) ? namedClasses[name] : undefined;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}
function isUpper(code: number): boolean {
  return code >= 65 && code <= 90;
}
function isLower(code: number): boolean {
  return code >= 97 && code <= 122;
}
