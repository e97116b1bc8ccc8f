import { createHash } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LocalModel } from '../../../src/embedding/index.js';

interface Asked {
  path: string;
  headers: IncomingHttpHeaders;
}

/** Faults that a test can switch on. */
interface Faults {
  /** Numbers of bytes of a body after which successive connections break. */
  cuts: number[];
  ignoresRange: boolean;
  /** Status instead of the answer, by the end of the path. */
  statuses: Record<string, number>;
  /** Other bytes instead of a file's, by the end of its path; the hub's headers still state the true hash. */
  swapped: Record<string, Uint8Array>;
  /** A page with status 200 for every request. */
  portal: boolean;
  /** Neither hashes nor sizes in the headers, as on a plain mirror. */
  plain: boolean;
}

export interface HubServer {
  url: string;
  asked: Asked[];
  faults: Faults;
  close(): Promise<void>;
}

/**
 * A server with the hub's URLs: `/<repository>/resolve/<revision>/<path>`. Large files (.onnx, .onnx_data) are redirected
 * to a storage host, small ones answered, both with the headers that the hub sends.
 */
export async function startHub(repositories: readonly HubRepository[]): Promise<HubServer> {
  const faults: Faults = {
    cuts: [],
    ignoresRange: false,
    statuses: {},
    swapped: {},
    portal: false,
    plain: false,
  };
  const asked: Asked[] = [];
  const files = new Map<string, { bytes: Uint8Array; revision: string }>();
  for (const { model, contents } of repositories) {
    for (const [name, bytes] of Object.entries(contents)) {
      files.set(`/${model.repository}/resolve/${model.revision}/${name}`, {
        bytes,
        revision: model.revision,
      });
    }
  }
  const storage = createServer((request, response) => {
    asked.push({ path: `storage:${request.url}`, headers: request.headers });
    const found = files.get(new URL(request.url ?? '', 'http://storage').searchParams.get('file') ?? '');
    if (found === undefined) response.writeHead(404).end();
    else send(request, response, found.bytes, {}, faults);
  });
  const storageUrl = await listen(storage);
  const hub = createServer((request, response) => {
    const path = request.url ?? '';
    asked.push({ path, headers: request.headers });
    const status = Object.entries(faults.statuses).find(([end]) => path.endsWith(end))?.[1];
    const found = files.get(path);
    if (faults.portal) {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>please log in</html>');
    } else if (status !== undefined || found === undefined) {
      response.writeHead(status ?? 404).end('no');
    } else {
      const large = /\.onnx(?:_data)?$/.test(path);
      const etag = large ? sha256(found.bytes) : gitSha1(found.bytes);
      const stated: Record<string, string | number> = faults.plain
        ? {}
        : { 'x-repo-commit': found.revision, 'x-linked-size': found.bytes.length };
      if (large) {
        const location = `${storageUrl}/blob?file=${encodeURIComponent(path)}`;
        const tag = faults.plain ? {} : { 'x-linked-etag': `"${etag}"`, etag: 'W/"page"' };
        response.writeHead(302, { ...stated, ...tag, location }).end();
      } else {
        const swap = Object.entries(faults.swapped).find(([end]) => path.endsWith(end))?.[1];
        send(request, response, swap ?? found.bytes, { ...stated, etag: `"${etag}"` }, faults);
      }
    }
  });
  const url = await listen(hub);
  return {
    url,
    asked,
    faults,
    async close() {
      for (const server of [hub, storage]) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };

  function send(
    request: IncomingMessage,
    response: ServerResponse,
    whole: Uint8Array,
    headers: Record<string, string | number>,
    { cuts, ignoresRange, swapped }: Faults,
  ): void {
    const large = request.url?.startsWith('/blob') === true;
    const bytes = (large ? swapped['model.onnx'] : undefined) ?? whole;
    const from = ignoresRange ? 0 : Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    if (from > 0 && from >= bytes.length) {
      response.writeHead(416, { 'content-range': `bytes */${bytes.length}` }).end();
      return;
    }
    const part = bytes.subarray(from);
    const range = { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` };
    response.writeHead(from > 0 ? 206 : 200, {
      ...headers,
      ...(from > 0 ? range : {}),
      'content-length': part.length,
    });
    const cut = large ? cuts.shift() : undefined;
    if (cut === undefined) response.end(part);
    else response.write(part.subarray(0, cut), () => setTimeout(() => response.destroy(), 20));
  }
}

export interface HubRepository {
  model: LocalModel;
  /** By path in the repository. */
  contents: Record<string, Uint8Array>;
}

export async function listen(server: ReturnType<typeof createServer>): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A test that fails early must not wait for it.
  server.unref();
  return `http://127.0.0.1:${portOf(server.address())}`;
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('the server does not listen');
  return address.port;
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const gitSha1 = (bytes: Uint8Array): string =>
  createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
