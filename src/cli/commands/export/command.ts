import { createCommand } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const HELP = `
As Markdown each source is <wing>/<room>/<name>.md with YAML front matter, to be
read and searched by other programs; another export into the same folder renews
its own files and leaves all others alone. With --jsonl everything is written,
line by line, with vectors, priorities and what is forgotten:
mempalace import reads it on another machine.

Examples:
  mempalace export --to ~/notes/palace          Markdown files
  mempalace export --jsonl --to palace.jsonl    everything in one file
  mempalace export --jsonl | gzip > palace.gz   the same through a pipe`;

export const exportCommand = createCommand('export', 'Export the palace as Markdown or JSON lines')
  .option('--to <path>', 'the folder (Markdown), or the file (--jsonl; default: stdout)')
  .option('--jsonl', 'everything, one JSON object a line')
  .option('--wing <name>', 'only this wing')
  .addHelpText('after', HELP)
  .action(lazily(async () => (await import('./run.js')).runExport));
