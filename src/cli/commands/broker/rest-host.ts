import type { Engine } from '../../../mcp/toolbox.js';
import { withoutSecrets } from '../../../mcp/write-log.js';
import { Live } from '../../../rest/events/live.js';
import type { RestHost } from '../../../rest/host.js';
import { palaceFile } from '../../../store/index.js';
import { errorDocument } from '../../app/failure.js';
import type { CommandContext } from '../../app/runner.js';
import { lastingSurroundings } from '../../app/surroundings.js';

/** The palace of a broker, for clients over HTTP. */
export function restHost(context: CommandContext, { service, host, log }: Engine): RestHost {
  const live = new Live({
    service,
    files: [palaceFile(host.folder), `${palaceFile(host.folder)}-wal`],
    onTrouble: (error) => context.terminal.log?.write('debug', String(error)),
  });
  return {
    service,
    live,
    config: context.config,
    surroundings: lastingSurroundings(context),
    problem: (error) => errorDocument(error),
    record: async (entry) => log?.write(await withoutSecrets(entry, host)),
  };
}
