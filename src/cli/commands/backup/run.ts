import { resolve } from 'node:path';
import { backupPalace } from '../../../maintenance/backup/backup.js';
import { formatBytes, formatSeconds, plural } from '../../../terminal/durations.js';
import { line } from '../../../terminal/terminal.js';
import type { CommonFlags } from '../../app/options.js';
import type { CommandContext } from '../../app/runner.js';

export interface BackupFlags extends CommonFlags {
  force?: boolean;
  migrate?: boolean;
}

export async function runBackup(
  { terminal, folders: { palace } }: CommandContext,
  flags: BackupFlags,
  target: string,
): Promise<void> {
  const startedAt = performance.now();
  const bar = await terminal.progress('backup');
  const { file, bytes, sources, drawers, model, schema } = await backupPalace({
    palace,
    target: resolve(target),
    force: flags.force === true,
    migrate: flags.migrate === true,
    onProgress: (done, total) => bar.update(done, total, 'pages'),
  }).finally(() => bar.stop());
  const seconds = Math.round((performance.now() - startedAt) / 10) / 100;
  terminal.json({ command: 'mempalace backup', file, bytes, sources, drawers, model, schema, seconds });
  terminal.say(
    `${line(file)}: ${formatBytes(bytes)}, ${plural(drawers, 'drawer')} from ${plural(sources, 'source')}, ${formatSeconds(seconds)}`,
  );
}
