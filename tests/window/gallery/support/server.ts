import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pageHeaders } from '../../../../main/hosts/web/page-headers.ts';
import { staticFile } from '../../../../main/hosts/web/static-path.ts';
import { buildGallery, galleryPage, rendererFolder } from './build.ts';

/**
 * Serves the gallery as the web host serves the window: the same files under the same policy. They are read once, so
 * that a build meanwhile takes none of them away.
 */
export async function serveGallery(): Promise<{ readonly url: string } & AsyncDisposable> {
  const script = await buildGallery();
  const page = await galleryPage();
  const files = await readAll(rendererFolder);
  const server = createServer((request, response) => {
    const target = request.url ?? '/';
    const headers = pageHeaders(request.headers.host ?? '');
    const path = target.split(/[?#]/, 1)[0];
    if (path === '/') return response.writeHead(200, { ...headers, 'Content-Type': 'text/html' }).end(page);
    if (path === '/favicon.ico') return response.writeHead(204, headers).end();
    if (path === '/gallery.js')
      return response.writeHead(200, { ...headers, 'Content-Type': 'text/javascript' }).end(script);
    const file = staticFile(rendererFolder, target);
    const content = file === undefined ? undefined : files.get(file.path);
    if (file === undefined || content === undefined) return response.writeHead(404, headers).end();
    return response
      .writeHead(200, { ...headers, 'Content-Type': file.type, 'Cache-Control': 'max-age=3600' })
      .end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readAll(folder: string): Promise<ReadonlyMap<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(await Promise.all(paths.map(async (path) => [path, await readFile(path)] as const)));
}
