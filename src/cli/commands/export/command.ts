import { createCommand, type FlagsOf } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const HELP = `
As Markdown each source becomes <wing>/<room>/<name>.md with YAML front matter,
for other programs to read and search. Another export into the same folder
updates its own files and keeps all others. --jsonl writes everything, including
vectors, priorities and the list of forgotten sources; mempalace import reads it
on another machine. It replaces an earlier export, and no other file.

Examples:
  mempalace export --to ~/notes/palace          Markdown files
  mempalace export --jsonl --to palace.jsonl    everything in one file
  mempalace export --jsonl | gzip > palace.gz   the same through a pipe`;

export const exportCommand = createCommand('export', 'Export the palace as Markdown or JSON lines')
  .option('--to <path>', 'the folder (Markdown), or the file (--jsonl; default: stdout)')
  .option('--jsonl', 'everything, one JSON object per line')
  .option('--wing <name>', 'only this wing')
  .addHelpText('after', HELP);
export type ExportFlags = FlagsOf<typeof exportCommand>;
exportCommand.action(lazily(async () => (await import('./run.js')).runExport, { here: true }));
