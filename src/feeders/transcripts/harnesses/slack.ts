import { statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { messageOf } from '../../../core/errors.js';
import * as field from '../../../core/fields.js';
import { textPart } from '../../../core/parts.js';
import { beginningOf, fileLine, readPiece, timeOf } from '../exported.js';
import type { ConversationFiles, FileHead, Harness, Identity } from '../harness.js';
import { sideJson } from '../records.js';
import { type Entry, malformed, oneLineOf, titled, turn } from '../turns.js';

/**
 * The export of Slack: `<channel>/<YYYY-MM-DD>.json`, each a list of messages, and `users.json` next to the channels,
 * with the names of people. One day of a channel is a conversation.
 */
interface Message {
  data: field.Fields;
  /** Epoch seconds; the id of the message in its channel. */
  ts: string;
}

function messageIn(json: unknown): Message | undefined {
  const [data, ts] = [field.object(json), field.text(json, 'ts')];
  const isMessage = data?.type === 'message' && (data.text == null || typeof data.text === 'string');
  return isMessage && ts !== undefined && /^\d+(?:\.\d+)?$/.test(ts) ? { data, ts } : undefined;
}

/** Subtypes of people's messages. Slack itself writes the others, such as notices about new members. */
const SAID = new Set('thread_broadcast reply_broadcast me_message file_share file_comment'.split(' ')).add(
  '',
);
const DAY = /^\d{4}-\d{2}-\d{2}$/;

export const slack: Harness = {
  name: 'slack',
  label: 'Slack exports',
  patterns: ['**/*.json'],
  recognises(head) {
    const { items, document } = beginningOf(head);
    return Array.isArray(document) && items.some((item) => messageIn(item) !== undefined);
  },
  identify: (head) => [identityOf(head)],
  // Two exports of a channel can differ: one may lack private messages.
  joinsFiles: true,
  read: readDay,
};

function identityOf(head: FileHead): Identity {
  const name = basename(head.path, '.json');
  const [first] = beginningOf(head).items.flatMap((item) => messageIn(item) ?? []);
  const begun = first && timeOf(Number(first.ts));
  const [channel, day] = DAY.test(name)
    ? [basename(dirname(head.path)), name]
    : [name, begun?.replace(/T.*/, '')];
  return { sessionId: `${channel}/${day}`, begun };
}

async function* readDay({ files, identity }: ConversationFiles): AsyncGenerator<Entry> {
  const [channel, day] = identity.sessionId?.split('/') ?? [];
  yield* titled(`#${channel} ${day}`);
  const all = new Map<string, Entry[]>();
  const problems: Entry[] = [];
  for (const { path, size } of files) {
    const json = await readPiece(path, { start: 0, end: size }).catch((error: unknown) => {
      problems.push(malformed(messageOf(error)));
    });
    const names = namesFor(path);
    for (const [index, each] of field.list(json).entries()) {
      const said = messageIn(each);
      const type = field.text(each, 'type');
      const by = field.name(each, 'user') ?? field.name(each, 'bot_id') ?? '';
      if (said !== undefined) all.set(`${said.ts} ${by}`, entriesOf(said, names));
      else if (type === undefined || type === 'message')
        problems.push(malformed(`#${channel} ${day}: message ${index + 1} cannot be read`));
    }
  }
  const inTime = [...all].sort(([one], [other]) => Number.parseFloat(one) - Number.parseFloat(other));
  for (const [, entries] of inTime) yield* entries;
  yield* problems;
}

function entriesOf({ data, ts }: Message, names: ReadonlyMap<string, string | undefined>): Entry[] {
  const files = field
    .objects(data, 'files')
    .flatMap((file) => fileLine(field.text(file, 'title') ?? field.text(file, 'name')));
  const [first, ...more] = [...textsOf(data).map((text) => withNames(text, names)), ...files];
  if (first === undefined) return [];
  const [user, bot, subtype] = [
    field.name(data, 'user'),
    field.name(data, 'bot_id'),
    field.name(data, 'subtype'),
  ];
  const isBot = bot !== undefined || subtype === 'bot_message';
  const username = field.name(data, 'username');
  const by = isBot ? (username ?? nameIn(data.bot_profile)) : undefined;
  const speaker = by ?? names.get(user ?? '') ?? nameIn(data.user_profile) ?? username ?? user;
  const parts = [`${oneLineOf(speaker) ?? bot ?? 'unknown'}: ${first}`, ...more].map(textPart);
  const isSaid = SAID.has(subtype ?? '');
  const marks = { spoken: !isBot && isSaid, synthetic: !isBot && !isSaid };
  return [
    turn(isBot ? 'assistant' : 'user', parts, { id: ts, at: timeOf(Number(ts)), message: ts, ...marks }),
  ];
}

/** A mention such as `<@U2>` with the person's name; as it is if the name is unknown. */
function withNames(text: string, names: ReadonlyMap<string, string | undefined>): string {
  return text.replace(/<@(\w+)(?:\|[^<>\n]*)?>/g, (mention, id: string) => {
    const name = oneLineOf(names.get(id));
    return name === undefined ? mention : `@${name}`;
  });
}

function textsOf(data: field.Fields): string[] {
  const texts = [field.text(data, 'text') ?? ''];
  for (const attachment of field.objects(data, 'attachments')) {
    const own = ['pretext', 'title', 'text'].flatMap((name) => field.text(attachment, name) ?? []);
    texts.push(own.length > 0 ? own.join('\n') : (field.text(attachment, 'fallback') ?? ''));
  }
  const found = texts.filter((each) => each.trim() !== '');
  // Blocks repeat the text, but a bot's text may be in blocks only.
  return found.length > 0
    ? found
    : textsWithin(field.list(data, 'blocks')).filter((each) => each.trim() !== '');
}

function textsWithin(value: unknown, depth = 0): string[] {
  if (depth > 20) return [];
  if (Array.isArray(value)) return value.flatMap((each) => textsWithin(each, depth + 1));
  const object = field.object(value);
  if (object === undefined) return [];
  const { text: said, ...others } = object;
  const own = typeof said === 'string' ? [said] : textsWithin(said, depth + 1);
  return [...own, ...Object.values(others).flatMap((each) => textsWithin(each, depth + 1))];
}

let known: { file: string; stamp: string; names: Map<string, string | undefined> } | undefined;

/** Names of people by id, from the export that contains this file. */
function namesFor(path: string): ReadonlyMap<string, string | undefined> {
  const file = join(dirname(dirname(path)), 'users.json');
  const stat = statSync(file, { throwIfNoEntry: false });
  const stamp = `${stat?.mtimeMs} ${stat?.size}`;
  if (known?.file !== file || known.stamp !== stamp) {
    const names = new Map(
      field.objects(sideJson(file)).flatMap((user) => {
        const id = field.name(user, 'id');
        return id === undefined ? [] : [[id, nameIn(user.profile) ?? nameIn(user)] as const];
      }),
    );
    known = { file, stamp, names };
  }
  return known.names;
}

function nameIn(person: unknown): string | undefined {
  return ['display_name', 'real_name', 'name'].flatMap((name) => field.name(person, name) ?? [])[0];
}
