import { addAbortSignal } from 'node:stream';
import { UserError } from '../../../core/errors.js';
import { NOTICE } from '../../../core/outside.js';
import { type Embedder, loadEmbedder } from '../../../embedding/index.js';
import {
  type DiaryEntry,
  type DiaryWritten,
  readDiary,
  settleNote,
  writeDiary,
} from '../../../knowledge/diary/index.js';
import { sameModel } from '../../../store/db/model.js';
import { agentNameOf } from '../../app/agent-name.js';
import { minuteOf } from '../../app/durations.js';
import { withPalace } from '../../app/open-palace.js';
import type { CommonFlags } from '../../app/options.js';
import { modelFor, openEmbedder } from '../../app/palace-model.js';
import type { CommandContext } from '../../app/runner.js';
import { announcedSanitiser } from '../../app/sanitiser.js';
import { besideRun, writingOnce } from '../../app/single-write.js';
import { kindsText } from '../../app/summary.js';
import type { StyleName } from '../../terminal/io.js';
import { framedLines, joined, type View, viewOf } from '../../terminal/labels.js';
import { printLong } from '../../terminal/pager.js';
import { quote, TEXT } from '../../terminal/quote.js';
import { line, type Terminal } from '../../terminal/terminal.js';

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
  return withPalace(context, async (palace) => {
    const { entries, total } = readDiary(palace, { agent, topic, wing, limit: last, offset });
    const shown = { total, showing: entries.length, offset };
    terminal.json({ notice: NOTICE, entries: entries.map(entryJson), ...shown });
    if (terminal.options.json) return;
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
  const { terminal, signal, folders, env } = context;
  const { topic, wing } = flags;
  const agent = agentNameOf(flags.agent, env);
  if (agent === undefined)
    throw new UserError('usage', "required option '--agent <name>' not specified", {
      hint: '--agent <name>, or MEMPALACE_AGENT_NAME, names the writer',
    });
  const text = words.join(' ');
  const entry = text === '' || text === '-' ? await readStdin(terminal.io.stdin, signal) : text;
  // Checked before a palace is created.
  settleNote({ agent, entry, topic, wing });
  const sanitiser = await announcedSanitiser(flags.redact, context);
  return writingOnce(folders.palace, context, { make: true }, async (palace) => {
    let loaded: Embedder | undefined;
    const embedder = async () => {
      const model = modelFor(palace.model);
      if (loaded !== undefined && sameModel(loaded.model, model)) return loaded;
      await loaded?.close();
      loaded = await openEmbedder(model, context, loadEmbedder);
      return loaded;
    };
    try {
      const run = besideRun(COMMAND, palace.model, Date.now());
      const written = await writeDiary(
        palace,
        { agent, entry, topic, wing },
        { sanitiser, embedder, run, signal },
      );
      report(written, terminal);
    } finally {
      await loaded?.close();
    }
  });
}

function report({ entry, drawerIds, already, redacted }: DiaryWritten, terminal: Terminal): void {
  const { entryId, agent, wing, topic, timestamp } = entry;
  const facts = { entry_id: entryId, agent, wing, topic, timestamp, drawers: drawerIds };
  terminal.json({ command: COMMAND, written: !already, ...facts, redacted });
  const kinds = kindsText(redacted);
  if (kinds !== '') terminal.warn(`redacted: ${kinds}`);
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

function entryJson({ entryId, agent, wing, topic, timestamp, content }: DiaryEntry): Record<string, unknown> {
  return { entry_id: entryId, agent, wing, topic, date: timestamp.slice(0, 10), timestamp, content };
}

/** Entries, each with a heading. Ends in a line feed. */
function rendered(entries: readonly DiaryEntry[], view: View): string {
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
