import { readFile } from 'node:fs/promises';
import { extname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { bundleScheme, isBundleAddress } from './bundle-address.ts';
import { safetyHeaders } from './content-policy.ts';

/** Types of the files that a build makes; a file of another type is not served. */
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
};

/** What an address under `app://bundle/` stands for. */
export type BundleFile =
  | { readonly kind: 'file'; readonly path: string; readonly type: string }
  | { readonly kind: 'refused'; readonly status: 400 | 403 | 404 | 405 };

/** Decides without touching the disk: which file of `folder` a request may have. */
export function decideFile(folder: string, method: string, address: string): BundleFile {
  if (method !== 'GET') return { kind: 'refused', status: 405 };
  if (!isBundleAddress(address)) return { kind: 'refused', status: 403 };
  const name = decodePath(new URL(address).pathname);
  if (name === undefined || name.includes('\0')) return { kind: 'refused', status: 400 };
  const path = resolve(folder, join('.', name === '/' ? 'index.html' : name));
  if (!isInside(folder, path)) return { kind: 'refused', status: 403 };
  const type = types[extname(path).toLowerCase()];
  return type === undefined ? { kind: 'refused', status: 404 } : { kind: 'file', path, type };
}

/** The answers to the window's requests: the files of a built renderer in `folder`. */
export function bundleHandler(
  folder: string,
): (request: Pick<Request, 'method' | 'url'>) => Promise<Response> {
  return async ({ method, url }) => {
    const decided = decideFile(folder, method, url);
    if (decided.kind === 'refused') return refusal(decided.status);
    const content = await readFile(decided.path).catch(() => undefined);
    if (content === undefined) return refusal(404);
    return new Response(new Uint8Array(content), {
      headers: { ...safetyHeaders, 'Content-Type': decided.type },
    });
  };
}

/** Has to be said before the app is ready: an origin of its own, so that scripts, fonts and storage work under it. */
export function registerBundleScheme(protocol: Pick<Electron.Protocol, 'registerSchemesAsPrivileged'>): void {
  protocol.registerSchemesAsPrivileged([
    {
      scheme: bundleScheme,
      privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true },
    },
  ]);
}

export function serveBundle(protocol: Pick<Electron.Protocol, 'handle'>, folder: string): void {
  protocol.handle(bundleScheme, bundleHandler(folder));
}

function refusal(status: number): Response {
  return new Response('', {
    status,
    headers: { ...safetyHeaders, 'Content-Type': 'text/plain; charset=utf-8' },
  });
}

function decodePath(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

/** By the way from one to the other, since a common beginning of two texts says nothing about folders. */
function isInside(folder: string, path: string): boolean {
  const way = relative(resolve(folder), path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
