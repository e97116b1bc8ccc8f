import { BAR } from '../../../core/outside.js';
import { line } from '../../../terminal/terminal.js';
import type { CommandContext } from '../../app/runner.js';
import type { LogFlags } from './command.js';
import { logDocument } from './document.js';

/** Of an ISO 8601 time, the part up to the seconds. */
const SECONDS = 19;

/** `mempalace log`. */
export async function showLog(context: CommandContext, { of: log, level, limit }: LogFlags): Promise<void> {
  const { terminal } = context;
  const document = logDocument(context, { log, level, limit });
  terminal.json(document);
  const { entries, logs } = document;
  for (const { time, level, log, by, text } of entries) {
    const head = `${time.slice(0, SECONDS)}Z ${level.padEnd(5)} ${log.padEnd(8)}`;
    terminal.data(`${head} ${BAR}${line(by)}: ${line(text)}`);
  }
  if (entries.length === 0)
    terminal.note(`no matching lines in ${logs.map(({ path }) => line(path)).join(', ')}`);
}
