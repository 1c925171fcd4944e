import { extname, join, resolve, sep } from 'node:path';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
};

export interface StaticFile {
  readonly path: string;
  readonly type: string;
  /** Its name changes with its content. */
  readonly immutable: boolean;
}

/**
 * The file that a request target means, undefined when none can. Nothing but what a build makes has a type, so nothing
 * else is served; dot files and everything outside the folder are not either, however they are written.
 */
export function staticFile(folder: string, target: string): StaticFile | undefined {
  const name = decodePath(target.split(/[?#]/, 1)[0] ?? '');
  if (name === undefined || /[\0\\]/.test(name)) return undefined;
  if (name.split('/').some((part) => part.startsWith('.'))) return undefined;
  const path = resolve(folder, join('.', name === '/' ? 'index.html' : name));
  const type = types[extname(path)];
  if (!path.startsWith(resolve(folder) + sep) || type === undefined) return undefined;
  return { path, type, immutable: /^\/assets\/[^/]+-[\w-]{8}\.\w+$/.test(name) };
}

function decodePath(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
