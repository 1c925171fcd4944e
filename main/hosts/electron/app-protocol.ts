import { readFile } from 'node:fs/promises';
import type { Protocol } from 'electron';
import { pageHeaders } from '../web/page-headers.ts';
import { staticFile } from '../web/static-path.ts';
import { bundleScheme, isBundleAddress } from './bundle-address.ts';

/** What an address under `app://bundle/` stands for. */
export type BundleFile =
  | { readonly kind: 'file'; readonly path: string; readonly type: string }
  | { readonly kind: 'refused'; readonly status: 403 | 404 | 405 };

/** Decides without touching the disk which file of `folder` a request may have; the web host serves the same files. */
export function decideFile(folder: string, method: string, address: string): BundleFile {
  if (method !== 'GET') return { kind: 'refused', status: 405 };
  if (!isBundleAddress(address)) return { kind: 'refused', status: 403 };
  const file = staticFile(folder, new URL(address).pathname);
  return file === undefined
    ? { kind: 'refused', status: 404 }
    : { kind: 'file', path: file.path, type: file.type };
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
      headers: { ...pageHeaders(), 'Content-Type': decided.type },
    });
  };
}

/** Has to be said before the app is ready: an origin of its own, so that scripts, fonts and storage work under it. */
export function registerBundleScheme(protocol: Pick<Protocol, 'registerSchemesAsPrivileged'>): void {
  protocol.registerSchemesAsPrivileged([
    {
      scheme: bundleScheme,
      privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true },
    },
  ]);
}

export function serveBundle(protocol: Pick<Protocol, 'handle'>, folder: string): void {
  protocol.handle(bundleScheme, bundleHandler(folder));
}

function refusal(status: number): Response {
  return new Response('', {
    status,
    headers: { ...pageHeaders(), 'Content-Type': 'text/plain; charset=utf-8' },
  });
}
