/** Where sessions stood. */
import * as z from 'zod/mini';
import { UserError } from '../../core/errors.js';
import { line, NOTICE } from '../../core/outside.js';
import { parseSourceKey } from '../../core/source-key.js';
import type { Palace } from '../../store/index.js';
import { minuteOf } from '../../terminal/durations.js';
import { quote, TEXT } from '../../terminal/quote.js';
import { Budget } from '../budget.js';
import { count, field, folders, limit, name, named, offset, within } from '../fields.js';
import { operation } from '../operation.js';
import { inItself } from '../wing.js';

const place = z.strictObject({
  /** The key of its source. */
  checkpoint_id: z.string(),
  /** The key of the session. */
  session: z.string(),
  title: z.string(),
  wing: z.string(),
  directory: name,
  /** Of the last message before it, ISO 8601, UTC. */
  timestamp: z.string(),
  /** Line of the session's text before which it was made; null for those of earlier versions. */
  line: z.nullable(z.int()),
});

export const checkpoints = {
  checkpointList: operation({
    name: 'checkpoint list',
    summary: 'List the checkpoints, newest first',
    quotes: true,
    reads: true,
    inWing: inItself,
    input: () =>
      z.strictObject({
        session: field(z.optional(named()), 'only of this session', { cli: '--session <id>' }),
        limit: limit(20, 'checkpoints to show'),
        offset: offset('skip this many of the newest'),
        within: within(),
      }),
    output: () =>
      z.strictObject({ checkpoints: z.array(place), total: count, showing: count, offset: count }),
    async run({ session: name, within: wing, ...page }, { handle }) {
      const { found, total } = await entries(handle.get(), { name, wing }, page);
      const checkpoints = found.map(({ content: _, ...entry }) => entry);
      return { checkpoints, total, showing: checkpoints.length, offset: page.offset };
    },
    text({ checkpoints, total, offset }, terminal, { session }) {
      for (const { checkpoint_id, title, timestamp } of checkpoints)
        terminal.data(`${minuteOf(timestamp)}  ${line(title)}  ${line(checkpoint_id)}`);
      if (terminal.options.json) return;
      if (checkpoints.length === 0)
        terminal.note(session === undefined ? 'no checkpoints' : noCheckpoint(session).message);
      const end = offset + checkpoints.length;
      if (total > end) terminal.note(`${total - end} older: --offset ${end} shows them`);
    },
    address: 'Where sessions stood, newest first',
  }),
  checkpointShow: operation({
    name: 'checkpoint show',
    summary: 'Print a checkpoint',
    quotes: true,
    reads: true,
    inWing: inItself,
    input: () =>
      z.strictObject({
        name: field(z.optional(named()), 'its key, or the id of a session for the last one', {
          cli: '<name>',
          tool: 'session',
          agents: 'id of a session (default: the last one in your folder)',
        }),
        folders: folders(),
        within: within(),
      }),
    output: () => z.extend(place, { content: z.string() }),
    async run({ name, folders, within: wing }, { handle }) {
      const asked = { name, wing, directories: name === undefined ? folders : undefined };
      const { found } = await entries(handle.get(), asked, { limit: 1, offset: 0 });
      if (found[0] === undefined) throw noCheckpoint(name);
      return found[0];
    },
    long({ checkpoint_id, content }, view) {
      const { rows } = quote([{ speaker: TEXT, text: content }], view, { reflow: true });
      const dim = (text: string) => view.paint('dim', text);
      const all = [dim(`checkpoint (${NOTICE})`), dim(line(checkpoint_id)), '', ...rows];
      return `${all.join('\n').trimEnd()}\n`;
    },
    address: 'A checkpoint',
    tool: {
      name: 'mempalace_resume',
      title: 'Where a session stood',
      description:
        'The last checkpoint of a session, or of the last session in your folder: last requests, open tasks, changed files, errors without a later success, summary.',
      tokens: 2_000,
      none: { found: false },
      answer({ content, ...place }, tokens) {
        const budget = new Budget(tokens);
        budget.spend(place);
        const { text, cut } = budget.shorten(content, 1);
        return { found: true, ...place, content: text, ...(cut ? { cut } : {}) };
      },
    },
  }),
};

async function entries(palace: Palace, ...asked: Parameters<Palace['checkpoints']['entries']>) {
  const { lineIn } = await import('../../checkpoint/text.js');
  return palace.snapshot(() => {
    const { rows, total } = palace.checkpoints.entries(...asked);
    const found = rows.map(({ id, source_mtime, checkpoint_id, ...rest }) => {
      const { owner: session } = parseSourceKey(checkpoint_id);
      const timestamp = new Date(source_mtime).toISOString();
      const content = palace.sources.textOf(id);
      return { checkpoint_id, session, ...rest, timestamp, line: lineIn(content) ?? null, content };
    });
    return { found, total };
  });
}

/** The error for a session without a checkpoint, or an unknown name. */
function noCheckpoint(name: string | undefined): UserError {
  const where = name === undefined ? 'in this folder' : `of ${JSON.stringify(name)}`;
  return new UserError('not-found', `no checkpoint ${where}`, {
    hint: 'mempalace checkpoint list shows them; mempalace checkpoint --session <id> makes one',
  });
}
