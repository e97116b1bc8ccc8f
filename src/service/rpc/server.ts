import type { Duplex } from 'node:stream';
import type { PalaceService } from '../contract/index.js';
import { linesOver } from './lines.js';
import type { Response } from './messages.js';
import { type Serving, serveOver } from './over.js';
import { parseRequest, strict } from './requests.js';

/** Serves until the stream ends, then fulfils. Calls of a client that has gone are cancelled. */
export function serveService(stream: Duplex, service: PalaceService, serving?: Serving): Promise<void> {
  const link = linesOver<Response, unknown>(stream, { patient: true });
  return serveOver(link, strict(service), parseRequest, serving);
}
