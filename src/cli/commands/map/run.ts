import { ask } from '../../../operations/ask.js';
import { map } from '../../../operations/listing/map.js';
import { line } from '../../../terminal/terminal.js';
import { withService } from '../../app/open-service.js';
import type { CommonFlags } from '../../app/options.js';
import type { CommandContext } from '../../app/runner.js';
import { writeRoomMap } from './write.js';

interface MapFlags extends CommonFlags {
  wing?: string;
  write?: string;
}

/** `mempalace map`. */
export async function runMap(context: CommandContext, { wing, write }: MapFlags): Promise<void> {
  const { terminal, config } = context;
  const { cold } = config.search;
  const document = await withService(context, (service, call) => ask(service, map.map, { wing, cold }, call));
  if (write === undefined) {
    terminal.json(document);
    map.map.text?.(document, terminal, { wing, cold });
    return;
  }
  const { file, changed } = writeRoomMap(write, document);
  terminal.json({ ...document, file, changed });
  terminal.say(changed ? `written: ${line(file)}` : `${line(file)} is up to date`);
}
