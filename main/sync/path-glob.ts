import { linearTest } from './ignore/linear-expression.ts';

/** Alternatives of braces in one glob; what has more is refused. */
const alternativeLimit = 256;

/**
 * Tells whether a path below the root is named by a glob as DevSpace's `onChange` has them: `**` any folders, `*` and
 * `?` within a name, classes, `{a,b}`. Undefined for a glob that cannot be read. Never takes time that explodes.
 */
export function pathGlob(glob: string): ((path: string) => boolean) | undefined {
  const alternatives = expandBraces(glob.replace(/^\.?\//, ''));
  if (alternatives === undefined) return undefined;
  const sources = alternatives.map(sourceOf);
  const found = linearTest(`^(?:${sources.join('|')})$`);
  return found.kind === 'test' ? found.test : undefined;
}

function expandBraces(glob: string): readonly string[] | undefined {
  const pending = [glob];
  const whole: string[] = [];
  for (let each = pending.pop(); each !== undefined; each = pending.pop()) {
    const inner = /\{([^{}]*)\}/.exec(each);
    if (inner === null) {
      if (/[{}]/.test(each)) return undefined;
      whole.push(each);
    } else {
      const [text, list = ''] = inner;
      const { index } = inner;
      for (const part of list.split(','))
        pending.push(each.slice(0, index) + part + each.slice(index + text.length));
    }
    if (whole.length + pending.length > alternativeLimit) return undefined;
  }
  return whole;
}

function sourceOf(glob: string): string {
  let source = '';
  for (let index = 0; index < glob.length; index++) {
    const character = glob[index] ?? '';
    if (glob.startsWith('**', index) && (index === 0 || glob[index - 1] === '/')) {
      const after = glob[index + 2];
      if (after === '/') {
        source += '(?:[^\u0000]*/)?';
        index += 2;
        continue;
      }
      if (after === undefined) {
        source += '[^\u0000]*';
        index += 1;
        continue;
      }
    }
    if (character === '*') source += '[^/]*';
    else if (character === '?') source += '[^/]';
    else if (character === '[') {
      const end = glob.indexOf(']', index + 2);
      if (end < 0) source += '\\[';
      else {
        const members = glob
          .slice(index + 1, end)
          .replace(/^!/, '^')
          .replaceAll(/[\\[]/g, '\\$&');
        source += `[${members}]`;
        index = end;
      }
    } else source += character.replace(/[.*+?^${}()|[\]\\/]/, '\\$&');
  }
  return source;
}
