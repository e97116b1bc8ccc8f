import { resolve } from 'node:path';
import { collectionShow, textOf } from '../../../operations/collections/members.js';
import { ask } from '../../../operations/operation.js';
import type { ExportFormat } from '../../../presentation/export-formats.js';
import { plural } from '../../../terminal/durations.js';
import { jsonText, line } from '../../../terminal/terminal.js';
import { writeNewFile } from '../../app/new-file.js';
import { withService } from '../../app/open-service.js';
import type { CommonFlags } from '../../app/options.js';
import type { CommandContext } from '../../app/runner.js';

interface ExportFlags extends CommonFlags {
  cold?: boolean;
  format: ExportFormat;
  to?: string;
}

/** `mempalace collection export`. */
export function exportOne(context: CommandContext, flags: ExportFlags, name: string): Promise<void> {
  const { terminal, config } = context;
  const { format } = flags;
  const to = flags.to === undefined ? undefined : resolve(flags.to);
  return withService(context, async (service, call) => {
    const asked = { name, cold: flags.cold, cold_places: config.search.cold };
    const members = await ask(service, collectionShow, asked, call);
    for (const note of members.notes ?? []) terminal.warn(line(note));
    const isJson = format === 'json' || (to === undefined && terminal.options.json);
    const text = isJson ? `${jsonText(members)}\n` : textOf(members, format as Exclude<ExportFormat, 'json'>);
    if (to === undefined) {
      terminal.io.stdout.write(text);
      return;
    }
    writeNewFile(to, text);
    const drawers = members.drawers.length;
    terminal.json({ command: 'mempalace collection', to, format, drawers });
    terminal.say(`${plural(drawers, 'drawer')} written to ${line(to)}`);
  });
}
