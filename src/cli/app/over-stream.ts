import type { Duplex } from 'node:stream';
import { type ConnectedService, connectService } from '../../service/rpc/client.js';

/** The service at the other end of a paused stream. A broker that does not answer any more does not end it either. */
export function overStream(stream: Duplex): ConnectedService {
  const service = connectService(stream);
  stream.resume();
  return { ...service, close: async () => void stream.destroy() };
}
