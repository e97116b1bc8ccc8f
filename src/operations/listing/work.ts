/** What sessions did lately. */
import * as z from 'zod/mini';
import { dayOf } from '../../core/day.js';
import { BAR, line } from '../../core/outside.js';
import { plural } from '../../core/plural.js';
import { count, day, field, name, text, wing } from '../fields.js';
import { operation } from '../operation.js';
import { inItsOwn } from '../wing.js';
import { head, isEmpty, page, printList } from './list.js';

/** Days before today, without `since`. */
const DAYS = 6;
const MOST_CHARS = 300;

const beginning = (text: string): string =>
  text.length <= MOST_CHARS ? text : `${text.slice(0, MOST_CHARS).replace(/[\uD800-\uDBFF]$/, '')}…`;

const session = z.strictObject({
  source_key: z.string(),
  session_id: name,
  title: name,
  /** Its first question. */
  question: name,
  wing: z.string(),
  /** The project, for sessions in a folder. */
  room: z.string(),
  directory: name,
  day,
  /** Of its last message. */
  last: z.iso.datetime(),
  /** That it changed, as its folder names them; the first ones. */
  files: z.array(z.strictObject({ path: z.string(), action: z.string() })),
  files_total: count,
  /** As git reported them to it. */
  commits: z.array(z.strictObject({ hash: z.string(), subject: z.string() })),
  /** Items of its own list that were not done at its end. */
  open: z.array(z.string()),
});

export const work = {
  listWork: operation({
    name: 'list work',
    summary: 'List what sessions did: files that they changed, commits, open items',
    quotes: true,
    reads: true,
    inWing: inItsOwn,
    input: () =>
      z.strictObject({
        wing: wing(),
        since: field(z.optional(text()), 'not older (default: 7 days)', { cli: '--since <when>', day: true }),
        ...page(),
      }),
    output: () => z.strictObject({ ...head('work'), since: day, work: z.array(session) }),
    async run({ wing, since, limit, offset }, { handle, now }) {
      const { recentWork } = await import('../../reading/index.js');
      const palace = handle.get();
      const first = since ?? dayOf(new Date(now.getFullYear(), now.getMonth(), now.getDate() - DAYS));
      return palace.snapshot(() => {
        const { sessions, total } = recentWork(palace, { wing, since: first }, { limit, offset });
        return {
          list: 'work' as const,
          ...{ total, offset, limit, since: first },
          work: sessions.map(({ sourceKey, sessionId, lastMs, filesTotal, question, ...shown }) => ({
            source_key: sourceKey,
            session_id: sessionId,
            title: shown.title,
            question: question === '' ? null : beginning(question),
            ...{ wing: shown.wing, room: shown.room, directory: shown.directory, day: shown.day },
            last: new Date(lastMs).toISOString(),
            files: shown.files,
            files_total: filesTotal,
            commits: shown.commits.map(({ hash, subject }) => ({ hash, subject: beginning(subject) })),
            open: shown.open.map(beginning),
          })),
        };
      });
    },
    isEmpty,
    text(document, terminal) {
      if (document.total === 0) return terminal.note(`no session since ${document.since}`);
      const rows = document.work.map(({ day, room, title, question, source_key }) => [
        day,
        BAR + line(room),
        line(title ?? question ?? source_key),
      ]);
      const below = document.work.map(({ files_total, commits, open }) =>
        [
          ...(files_total === 0 ? [] : [plural(files_total, 'file')]),
          ...commits.map(({ hash, subject }) => `${hash} ${line(subject)}`),
          ...(open.length === 0 ? [] : [`open: ${open.map(line).join('; ')}`]),
        ].join(' · '),
      );
      // Without a width, below a row is no place.
      if (terminal.width === undefined) {
        const whole = rows.map((row, index) => [...row, below[index] ?? '']);
        return printList(document, { columns: [], rows: whole }, terminal);
      }
      const columns = [{}, { style: 'cyan' as const, share: 0.25 }, { style: 'bold' as const }];
      printList(document, { columns, rows, below }, terminal);
    },
    address: 'What sessions did, newest first: files that they changed, commits, open items',
  }),
};
