import { statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { messageOf } from '../../../core/errors.js';
import { textOf, textPart } from '../../../core/parts.js';
import { beginningOf, fileLine, readPiece, timeOf } from '../exported.js';
import type { ConversationFiles, FileHead, Harness, Identity } from '../harness.js';
import { sideJson } from '../records.js';
import { maybe, optionalName } from '../schemas.js';
import { type Entry, isObject, listOf, malformed, oneLineOf, titled, turn } from '../turns.js';

/**
 * The export of Slack: `<channel>/<YYYY-MM-DD>.json`, each a list of messages, and `users.json` next to the channels,
 * with the names of people. One day of a channel is a conversation.
 */
const named = z.looseObject({ display_name: optionalName, real_name: optionalName, name: optionalName });
const user = z.looseObject({
  id: z.string(),
  name: optionalName,
  real_name: optionalName,
  profile: maybe(named),
});
const list = maybe(z.array(z.looseObject({}).catch({})));
const message = z.looseObject({
  type: z.literal('message'),
  ts: z.string().regex(/^\d+(?:\.\d+)?$/),
  subtype: optionalName,
  user: optionalName,
  username: optionalName,
  bot_id: optionalName,
  bot_profile: maybe(named),
  user_profile: maybe(named),
  text: z.string().nullish(),
  files: list,
  attachments: list,
  blocks: maybe(z.array(z.unknown())),
});
type Message = z.infer<typeof message>;

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
    return Array.isArray(document) && items.some((item) => message.safeParse(item).success);
  },
  identify: (head) => [identityOf(head)],
  // Two exports of a channel can differ: one may lack private messages.
  joinsFiles: true,
  read: readDay,
};

function identityOf(head: FileHead): Identity {
  const name = basename(head.path, '.json');
  const [first] = beginningOf(head).items.flatMap((item) => message.safeParse(item).data ?? []);
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
    for (const [index, each] of listOf(json).entries()) {
      const { data } = message.safeParse(each);
      const type = isObject(each) ? textOf(each.type) : undefined;
      if (data !== undefined) all.set(`${data.ts} ${data.user ?? data.bot_id ?? ''}`, entriesOf(data, names));
      else if (type === undefined || type === 'message')
        problems.push(malformed(`#${channel} ${day}: message ${index + 1} cannot be read`));
    }
  }
  const inTime = [...all].sort(([one], [other]) => Number.parseFloat(one) - Number.parseFloat(other));
  for (const [, entries] of inTime) yield* entries;
  yield* problems;
}

function entriesOf(said: Message, names: ReadonlyMap<string, string | undefined>): Entry[] {
  const files = (said.files ?? []).flatMap((file) => fileLine(textOf(file.title) ?? textOf(file.name)));
  const [first, ...more] = [...textsOf(said).map((text) => withNames(text, names)), ...files];
  if (first === undefined) return [];
  const isBot = said.bot_id !== undefined || said.subtype === 'bot_message';
  const by = isBot ? (said.username ?? nameIn(said.bot_profile)) : undefined;
  const speaker = by ?? names.get(said.user ?? '') ?? nameIn(said.user_profile) ?? said.username ?? said.user;
  const parts = [`${oneLineOf(speaker) ?? said.bot_id ?? 'unknown'}: ${first}`, ...more].map(textPart);
  const isSaid = SAID.has(said.subtype ?? '');
  const at = timeOf(Number(said.ts));
  const turnOf = {
    id: said.ts,
    at,
    message: said.ts,
    spoken: !isBot && isSaid,
    synthetic: !isBot && !isSaid,
  };
  return [turn(isBot ? 'assistant' : 'user', parts, turnOf)];
}

/** A mention such as `<@U2>` with the person's name; as it is if the name is unknown. */
function withNames(text: string, names: ReadonlyMap<string, string | undefined>): string {
  return text.replace(/<@(\w+)(?:\|[^<>\n]*)?>/g, (mention, id: string) => {
    const name = oneLineOf(names.get(id));
    return name === undefined ? mention : `@${name}`;
  });
}

function textsOf({ text: said, attachments = [], blocks = [] }: Message): string[] {
  const texts = [said ?? ''];
  for (const attachment of attachments) {
    const { pretext, title, text: inside, fallback } = attachment;
    const own = [pretext, title, inside].flatMap((each) => textOf(each) ?? []);
    texts.push(own.length > 0 ? own.join('\n') : (textOf(fallback) ?? ''));
  }
  const found = texts.filter((each) => each.trim() !== '');
  // Blocks repeat the text, but a bot's text may be in blocks only.
  return found.length > 0 ? found : textsWithin(blocks).filter((each) => each.trim() !== '');
}

function textsWithin(value: unknown, depth = 0): string[] {
  if (depth > 20) return [];
  if (Array.isArray(value)) return value.flatMap((each) => textsWithin(each, depth + 1));
  if (!isObject(value)) return [];
  const { text: said, ...others } = value;
  const own = typeof said === 'string' ? [said] : textsWithin(said, depth + 1);
  return [...own, ...Object.values(others).flatMap((each) => textsWithin(each, depth + 1))];
}

/** Cache for the export that was read last. */
let known: { file: string; stamp: string; names: Map<string, string | undefined> } | undefined;

/** Names of people by id, from the export that contains this file. */
function namesFor(path: string): ReadonlyMap<string, string | undefined> {
  const file = join(dirname(dirname(path)), 'users.json');
  const stat = statSync(file, { throwIfNoEntry: false });
  const stamp = `${stat?.mtimeMs} ${stat?.size}`;
  if (known?.file !== file || known.stamp !== stamp) {
    const users = listOf(sideJson(file)).flatMap((each) => user.safeParse(each).data ?? []);
    const names = new Map(users.map((each) => [each.id, nameIn(each.profile) ?? nameIn(each)]));
    known = { file, stamp, names };
  }
  return known.names;
}

type Named = { display_name?: unknown; real_name?: unknown; name?: unknown };

function nameIn(given: Named | undefined): string | undefined {
  return textOf(given?.display_name) ?? textOf(given?.real_name) ?? textOf(given?.name);
}
