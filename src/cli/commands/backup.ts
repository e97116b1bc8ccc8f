import { resolve } from 'node:path';
import { formatBytes, formatSeconds, plural, secondsSince } from '../../terminal/durations.js';
import { line } from '../../terminal/terminal.js';
import { createCommand, type FlagsOf } from '../app/options.js';
import { action, type ProgramContext } from '../app/runner.js';

const HELP = `
The copy is a consistent snapshot in one file, verified, and readable only by
you; others can write meanwhile. In a folder, the file is named after the time.
To restore it: mempalace restore <file>

Examples:
  mempalace backup ~/palace.sqlite3   to a file
  mempalace backup /media/stick       to a folder, named after the time`;

export const command = createCommand('backup', 'Copy the palace to a file, even while others use it')
  .argument('<file>', 'the new file, or a folder for it')
  .option('--force', 'overwrite an older backup with that name')
  .option('--migrate', 'then migrate the palace, with this file as its only backup')
  .addHelpText('after', HELP);

command.action(action(runBackup, { here: true }));

async function runBackup(
  { terminal, folders, answer }: ProgramContext,
  { force = false, migrate = false }: FlagsOf<typeof command>,
  target: string,
): Promise<void> {
  const { backupPalace } = await import('../../maintenance/backup/backup.js');
  const startedAt = performance.now();
  const { file, bytes, sources, drawers, model, schema } = await terminal.during('backup', ({ update }) =>
    backupPalace({
      palace: folders.palace,
      target: resolve(target),
      force,
      migrate,
      onProgress: (done, total) => update(done, total, 'pages'),
    }),
  );
  const seconds = secondsSince(startedAt);
  answer({ file, bytes, sources, drawers, model, schema, seconds });
  terminal.say(
    `${line(file)}: ${formatBytes(bytes)}, ${plural(drawers, 'drawer')} from ${plural(sources, 'source')}, ${formatSeconds(seconds)}`,
  );
}
