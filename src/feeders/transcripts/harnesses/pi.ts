import { existsSync, readFileSync } from 'node:fs';
import { basename, isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { sha256 } from '../../../core/hash.js';
import { homeFolder } from '../../../platform/folders.js';
import type { Entry, Part, Turn } from '../entry.js';
import type { FileHead, Harness, Identity } from '../harness.js';
import { readHead } from '../head.js';
import { homeOf } from '../homes.js';
import { jsonRecords, oneLineOf, otherRecord, textOf } from '../records.js';

/**
 * The records of a session of pi (`~/.pi/agent/sessions/**`): a header, then entries of a tree. All branches are
 * read, in the order in which they were written.
 */
const block = z.looseObject({ type: z.string() });
const content = z.union([z.string(), z.array(block)]);
const header = z.object({
  type: z.literal('session'),
  id: z.string().min(1),
  cwd: z.string().min(1).optional().catch(undefined),
  /** The file that it was forked or cloned from, as releases called it one after the other. */
  parentSession: z.string().min(1).optional().catch(undefined),
  branchedFrom: z.string().min(1).optional().catch(undefined),
});
const entry = z.discriminatedUnion('type', [
  z.object({ type: z.literal('message'), message: z.looseObject({ role: z.string() }) }),
  z.object({ type: z.literal('custom_message'), content }),
  z.object({ type: z.literal('compaction'), summary: z.string() }),
  z.object({ type: z.literal('branch_summary'), summary: z.string() }),
]);
const common = z.object({
  id: z.string().optional().catch(undefined),
  timestamp: z.string().optional().catch(undefined),
});
const named = z.object({ type: z.literal('session_info'), name: z.string().min(1) });

export const pi: Harness = {
  name: 'pi',
  label: 'pi',
  version: 2,
  places: sessionFolders,
  patterns: ['**/*.jsonl'],
  recognises: ({ records }) =>
    records.some((json) => header.safeParse(json).success || entry.safeParse(json).success),
  identify: (head) => [identityOf(head)],
  idsAreUnique: false,
  sameSession: 'newest',
  async *read(conversation) {
    for await (const line of jsonRecords(conversation)) {
      if ('kind' in line) yield line;
      else yield readRecord(line.json, line.line);
    }
  },
  filesOfSession: original,
};

const settings = z.object({ sessionDir: z.string().min(1) });

/** The usual folder, and those that the environment and pi's settings name. */
function sessionFolders(env: NodeJS.ProcessEnv): string[] {
  const home = homeOf(env, 'PI_CODING_AGENT_DIR', join('.pi', 'agent'));
  const named = [env.PI_CODING_AGENT_SESSION_DIR ?? '', sessionDirIn(join(home, 'settings.json')) ?? ''];
  const folders = named.map((folder) => folder.replace(/^~(?=$|[/\\])/, () => homeFolder(env)));
  // A relative one is another folder for every project.
  return [...new Set([join(home, 'sessions'), ...folders.filter((folder) => isAbsolute(folder))])];
}

function sessionDirIn(file: string): string | undefined {
  try {
    return settings.safeParse(JSON.parse(readFileSync(file, 'utf8'))).data?.sessionDir;
  } catch {
    // pi itself does without settings that are not there or cannot be read.
    return undefined;
  }
}

/** `<time>_<session id>.jsonl` */
function sessionIn(file: string | undefined): string[] {
  const name = basename((file ?? '').replaceAll('\\', '/'));
  const id = /_([\w-]+)\.jsonl$/.exec(name)?.[1];
  return id === undefined ? [] : [id];
}

/** The file that a fork was made of: it is to be filed before. */
async function original(path: string): Promise<string[]> {
  for (const json of (await readHead({ path, mtimeMs: 0, size: 0 })).records) {
    const { parentSession, branchedFrom } = header.safeParse(json).data ?? {};
    const file = parentSession ?? branchedFrom;
    if (file !== undefined)
      return isAbsolute(file) && file.endsWith('.jsonl') && existsSync(file) ? [file] : [];
  }
  return [];
}

function identityOf({ records }: FileHead): Identity {
  for (const json of records) {
    const parsed = header.safeParse(json);
    if (!parsed.success) continue;
    const { id, cwd, parentSession, branchedFrom } = parsed.data;
    const originals = sessionIn(parentSession ?? branchedFrom);
    const copiedFrom = originals.length === 0 ? undefined : originals;
    return { sessionId: id, cwd, begun: common.parse(json).timestamp, copiedFrom };
  }
  return { sessionId: undefined };
}

function readRecord(json: unknown, line: number): Entry {
  const name = named.safeParse(json);
  if (name.success) {
    const text = oneLineOf(name.data.name);
    return { kind: 'fact', title: text === undefined ? undefined : { text, rank: 1 } };
  }
  const parsed = entry.safeParse(json);
  if (!parsed.success) return otherRecord(json, line);
  const { id, timestamp } = common.parse(json);
  const ignored: string[] = [];
  const turn = (role: Turn['role'], parts: Part[], more: Partial<Turn> = {}): Turn => ({
    kind: 'turn',
    role,
    parts,
    id,
    at: timestamp,
    spoken: false,
    ignored,
    copyKey: copyKeyOf(id, timestamp, parts),
    ...more,
  });
  const summary = (text: string): Entry => ({
    kind: 'summary',
    text,
    copyKey: copyKeyOf(id, timestamp, [{ kind: 'text', text }]),
  });
  const { data } = parsed;
  if (data.type === 'compaction' || data.type === 'branch_summary') return summary(data.summary);
  if (data.type === 'custom_message')
    return turn('user', partsOf(data.content, ignored), { synthetic: true });
  const { message } = data;
  const { role } = message;
  // A prompt of the program.
  if (role === 'system') return { kind: 'ignored', type: 'system message' };
  if (role === 'bashExecution') {
    if (message.excludeFromContext === true) return { kind: 'ignored', type: 'command with `!!`' };
    const ran = `[ran] ${textOf(message.command) ?? ''}\n\n${textOf(message.output) ?? ''}`;
    return turn('user', [{ kind: 'text', text: ran.trimEnd() }], { synthetic: true });
  }
  if (role === 'branchSummary' || role === 'compactionSummary') return summary(textOf(message.summary) ?? '');
  const failure = role === 'assistant' ? textOf(message.errorMessage)?.trim() : undefined;
  const read = content.safeParse(message.content ?? (failure === undefined ? undefined : []));
  if (!read.success) return { kind: 'malformed', line, reason: `${role} record without a readable message` };
  const parts = partsOf(read.data, ignored);
  if (role === 'toolResult') {
    const text = parts.map((part) => (part.kind === 'text' ? part.text : '')).join('\n');
    const result: Part = {
      kind: 'result',
      id: textOf(message.toolCallId),
      text,
      error: message.isError === true,
    };
    return turn('user', [result]);
  }
  if (role === 'assistant') {
    if (failure === undefined || failure === '') return turn('assistant', parts);
    const error: Part = { kind: 'text', text: `[error] ${failure}` };
    return turn('assistant', [...parts, error], { synthetic: parts.length === 0 });
  }
  if (role === 'user') return turn('user', parts.map(asTyped), { spoken: true });
  // `custom`, and `hookMessage` as it was called before: what an extension put in.
  return turn('user', parts, { synthetic: true });
}

/** The same in a fork. Ids are unique in a session alone, if at all, and the first format has none. */
function copyKeyOf(id: string | undefined, at: string | undefined, parts: readonly Part[]): Turn['copyKey'] {
  if (at === undefined) return undefined;
  return { key: `${id ?? ''} ${at} ${sha256(JSON.stringify(parts)).slice(0, 16)}`, weak: false };
}

const SKILL = /^<skill name="([^"]+)" location="[^"]*">\n[\s\S]*?\n<\/skill>(?:\n\n([\s\S]+))?$/;

/** A skill is written out in the user's name: what was typed is its name, and what follows it. */
function asTyped(part: Part): Part {
  const skill = part.kind === 'text' ? SKILL.exec(part.text) : null;
  if (skill === null) return part;
  const [, name = '', words = ''] = skill;
  return { kind: 'text', text: `/skill:${name} ${words}`.trimEnd() };
}

function partsOf(given: z.infer<typeof content>, ignored: string[]): Part[] {
  if (typeof given === 'string') return [{ kind: 'text', text: given }];
  const parts: Part[] = [];
  for (const each of given) {
    const { type } = each;
    if (type === 'text' && typeof each.text === 'string') parts.push({ kind: 'text', text: each.text });
    else if (type === 'thinking' && typeof each.thinking === 'string')
      parts.push({ kind: 'text', text: `[reasoning] ${each.thinking}` });
    else if (type === 'toolCall')
      parts.push({
        kind: 'call',
        id: textOf(each.id),
        name: textOf(each.name) ?? 'unknown',
        input: each.arguments,
      });
    else if (type === 'image')
      parts.push({ kind: 'text', text: `[image ${textOf(each.mimeType) ?? ''}]`.replace(' ]', ']') });
    else ignored.push(`${type} block`);
  }
  return parts;
}
