import { addAbortSignal } from 'node:stream';
import { UserError } from '../../../core/errors.js';
import { NOTICE } from '../../../core/outside.js';
import { diaryDocument } from '../../../presentation/diary.js';
import type { Output } from '../../../service/contract/index.js';
import { minuteOf } from '../../../terminal/durations.js';
import type { StyleName } from '../../../terminal/io.js';
import { framedLines, joined, type View, viewOf } from '../../../terminal/labels.js';
import { printLong } from '../../../terminal/pager.js';
import { quote, TEXT } from '../../../terminal/quote.js';
import { warnRedacted } from '../../../terminal/redactions.js';
import { line, type Terminal } from '../../../terminal/terminal.js';
import { agentNameOf } from '../../app/agent-name.js';
import { withService, withWriter } from '../../app/open-service.js';
import type { CommonFlags } from '../../app/options.js';
import type { CommandContext } from '../../app/runner.js';
import { announceUnredacted } from '../../app/sanitiser.js';

const COMMAND = 'mempalace diary write';
/** Far longer than any entry; keeps a file given by mistake out of memory. */
const MOST_BYTES = 16 * 1024 * 1024;

interface ReadFlags extends CommonFlags {
  agent?: string;
  topic?: string;
  wing?: string;
  last: number;
  offset: number;
  pager: boolean;
}

interface WriteFlags extends CommonFlags {
  agent?: string;
  topic?: string;
  wing?: string;
  redact: boolean;
}

/** `mempalace diary read`. */
export function read(context: CommandContext, flags: ReadFlags): Promise<void> {
  const { terminal, folders, env } = context;
  const { topic, wing, last, offset } = flags;
  const agent = agentNameOf(flags.agent, env);
  return withService(context, async (service, call) => {
    const found = await service.readDiary({ agent, topic, wing, limit: last, offset }, call);
    terminal.json(diaryDocument(found, offset));
    if (terminal.options.json) return;
    const { entries, total } = found;
    if (entries.length === 0)
      terminal.note(total === 0 ? 'no diary entries' : `no entries at offset ${offset}`);
    else await printLong(terminal, flags.pager, [rendered(entries, viewOf(terminal, folders.home))]);
    const end = offset + entries.length;
    if (total > end) terminal.note(`${total - end} older: --offset ${end} shows them`);
  });
}

/** `mempalace diary write`. */
export async function write(
  context: CommandContext,
  flags: WriteFlags,
  words: readonly string[],
): Promise<void> {
  const { terminal, signal, env } = context;
  const { topic, wing } = flags;
  const agent = agentNameOf(flags.agent, env);
  if (agent === undefined)
    throw new UserError('usage', "required option '--agent <name>' not specified", {
      hint: '--agent <name>, or MEMPALACE_AGENT_NAME, names the writer',
    });
  const text = words.join(' ');
  const entry = text === '' || text === '-' ? await readStdin(terminal.io.stdin, signal) : text;
  // Checked before a palace is created.
  const { settleNote } = await import('../../../knowledge/diary/index.js');
  settleNote({ agent, entry, topic, wing });
  announceUnredacted(flags.redact, context);
  return withWriter(context, { command: COMMAND, make: true }, async (service, call) => {
    const note = { agent, entry, topic, wing, redact: flags.redact };
    report(await service.writeDiary(note, call), terminal);
  });
}

function report({ entry, drawerIds, already, redacted }: Output<'writeDiary'>, terminal: Terminal): void {
  const { entryId, agent, wing, topic, timestamp } = entry;
  const facts = { entry_id: entryId, agent, wing, topic, timestamp, drawers: drawerIds };
  terminal.json({ command: COMMAND, written: !already, ...facts, redacted });
  warnRedacted(redacted, terminal);
  terminal.say(`${already ? 'exists already' : 'written'}: ${line(entryId)}`);
}

async function readStdin(stdin: Terminal['io']['stdin'], signal: AbortSignal): Promise<string> {
  if (stdin.isTTY) {
    throw new UserError('usage', 'there is no entry to write', {
      hint: 'mempalace diary write --agent <name> "what to remember", or pipe it in',
    });
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of addAbortSignal(signal, stdin)) {
    const buffer = Buffer.from(chunk);
    bytes += buffer.length;
    if (bytes > MOST_BYTES)
      throw new UserError('usage', `the entry is longer than ${MOST_BYTES / 1024 / 1024} MB`);
    chunks.push(buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Entries, each with a heading. Ends in a line feed. */
function rendered(entries: Output<'readDiary'>['entries'], view: View): string {
  const { paint } = view;
  const rows = [paint('dim', `diary (${NOTICE})`), ''];
  for (const { entryId, agent, topic, timestamp, content } of entries) {
    rows.push(paint('bold', minuteOf(timestamp)));
    const about: [StyleName, string][] = [
      ['bold', line(joined(agent, topic))],
      ['dim', line(entryId)],
    ];
    rows.push(...framedLines(about, view));
    rows.push(...quote([{ speaker: TEXT, text: content }], view, { reflow: true }).rows, '');
  }
  return `${rows.join('\n').trimEnd()}\n`;
}
