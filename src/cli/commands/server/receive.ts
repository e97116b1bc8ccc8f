import type { Host } from '../../../mcp/tool.js';
import type { Input, Output, ServiceCall } from '../../../service/contract/index.js';
import { SCHEMAS } from '../../../service/contract/schemas.js';
import { putAsked } from '../../app/receiving.js';

/** Files what another machine sent in a program of its own: a large run takes minutes, in which this one must answer. */
export async function receiveBeside(
  { program }: Pick<Host, 'program'>,
  upload: string,
  asked: Input<'fileReceived'>,
  { waitMs, signal }: ServiceCall,
): Promise<Output<'fileReceived'>> {
  putAsked(upload, asked);
  const wait = `${Math.max(0, Math.floor(waitMs / 1000))}s`;
  const answer = await program('mempalace', ['broker', 'receive', upload, '--wait', wait], signal);
  return SCHEMAS.fileReceived.output.parse(answer);
}
