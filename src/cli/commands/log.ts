import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { parseJson } from '../../core/json.js';
import { LOG_LEVELS, LOGS, type LogLevel, type LogName } from '../../core/logs.js';
import { BAR, line } from '../../core/outside.js';
import { hooksLog } from '../../hooks/queue.js';
import { WRITE_LOG } from '../../mcp/write-log.js';
import { logLines } from '../../platform/log-file.js';
import type { Document } from '../../rest/documents.js';
import type { LogAsked } from '../../rest/host.js';
import { logConfig } from '../../terminal/logging/log.js';
import { BROKER_LOG } from '../app/broker.js';
import { choiceOption, countOption, createCommand, type FlagsOf } from '../app/options.js';
import { action, type CommandContext } from '../app/runner.js';

const HELP = `
The logs are: broker (when brokers began and ended, and their troubles), hooks
(the runs in the background), writes (what agents and the page changed, who did
it, and when), and programs (the file of $MEMPALACE_LOG_FILE, if there is one).

Examples:
  mempalace log                   the last lines of all logs, newest first
  mempalace log --of writes       what agents and the page changed
  mempalace log --level warn      warnings and errors`;

export const command = createCommand('log', 'Show the last lines of the logs, newest first')
  .addOption(choiceOption('--of <log>', 'only this log', LOGS))
  .addOption(
    choiceOption('--level <level>', 'only lines of this level, and of more important ones', LOG_LEVELS),
  )
  .addOption(countOption('--limit <n>', 'lines to show', 1).default(50))
  .addHelpText('after', HELP);
command.action(action(showLog));

type Entry = Document<'log'>['entries'][number];

/** The last lines of the logs of a palace, newest first. */
export function logDocument(
  context: Pick<CommandContext, 'env' | 'folders'>,
  { log, level, limit }: LogAsked,
): Document<'log'> {
  const files = filesOf(context);
  const logs = LOGS.flatMap((name) => {
    const { [name]: path } = files;
    return path === undefined ? [] : { log: name, path, exists: existsSync(path) };
  });
  const entries = logs
    .filter((each) => log === undefined || each.log === log)
    .flatMap(({ log, path }) => lastOf(log, path, level, limit))
    .sort((one, other) => other.time.localeCompare(one.time))
    .slice(0, limit);
  return { logs, entries, showing: entries.length };
}

/** Of an ISO 8601 time, the part up to the seconds. */
const SECONDS = 19;

async function showLog(
  context: CommandContext,
  { of: log, level, limit }: FlagsOf<typeof command>,
): Promise<void> {
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

function filesOf({
  env,
  folders,
}: Pick<CommandContext, 'env' | 'folders'>): Partial<Record<LogName, string>> {
  const { palace, home } = folders;
  const { file } = logConfig({}, env, home);
  return {
    broker: join(palace, BROKER_LOG),
    hooks: hooksLog(palace),
    ...(file !== undefined && { programs: file }),
    writes: join(palace, WRITE_LOG),
  };
}

function lastOf(log: LogName, path: string, level: LogLevel = 'debug', limit: number): Entry[] {
  const wanted = LOG_LEVELS.slice(0, LOG_LEVELS.indexOf(level) + 1);
  const entries: Entry[] = [];
  for (const each of logLines(path)) {
    const entry = log === 'writes' ? writeOf(each) : entryOf(log, each);
    if (entry !== undefined && wanted.includes(entry.level)) entries.push(entry);
    if (entries.length === limit) break;
  }
  return entries;
}

/** As `Log` writes it. */
const LINE = /^(\d{4}-\S+Z) (error|warn|info|debug) (.+?)\[\d+\]: (.*)$/;

/** Undefined for what is not a line of a log: the file may be another program's. */
function entryOf(log: LogName, line: string): Entry | undefined {
  const [, time, given, by = '', text = ''] = LINE.exec(line) ?? [];
  const level = LOG_LEVELS.find((each) => each === given);
  return time === undefined || level === undefined ? undefined : { log, time, level, by, text };
}

const write = z.looseObject({
  time: z.string(),
  agent: z.string(),
  tool: z.string(),
  ok: z.boolean(),
  error: z.string().optional(),
});

function writeOf(line: string): Entry | undefined {
  const { data } = write.safeParse(parseJson(line));
  if (data === undefined) return undefined;
  const { time, agent: by, tool, ok, error, pid: _, ...rest } = data;
  const outcome = ok ? 'done' : (error ?? 'failed');
  return {
    log: 'writes',
    time,
    level: ok ? 'info' : 'error',
    by,
    text: `${tool}: ${outcome} ${JSON.stringify(rest)}`,
  };
}
