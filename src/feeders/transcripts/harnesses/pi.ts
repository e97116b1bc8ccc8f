import { existsSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import type { Compaction } from '../../../checkpoint/record.js';
import * as field from '../../../core/fields.js';
import { sha256 } from '../../../core/hash.js';
import { contentAt, contentParts, type Part, textPart } from '../../../core/parts.js';
import { homeFolder } from '../../../platform/folders.js';
import { filesBelow } from '../files-below.js';
import type { Harness, Identity } from '../harness.js';
import { readHead } from '../head.js';
import { homeOf } from '../homes.js';
import { readRecords, sideJson } from '../records.js';
import { type Entry, malformed, titled, turn, wordsOf } from '../turns.js';

function isHeader(json: unknown): boolean {
  return field.text(json, 'type') === 'session' && field.name(json, 'id') !== undefined;
}

function isEntry(json: unknown): boolean {
  const type = field.text(json, 'type');
  if (type === 'message') return field.text(json, 'message', 'role') !== undefined;
  if (type === 'custom_message') return contentAt(json, 'content') !== undefined;
  return (type === 'compaction' || type === 'branch_summary') && field.text(json, 'summary') !== undefined;
}

/** Sessions of pi (`~/.pi/agent/sessions/**`): a header, then entries of a tree. Reads all branches, in file order. */
export const pi: Harness = {
  name: 'pi',
  label: 'pi',
  patterns: ['**/*.jsonl'],
  version: 2,
  places: sessionFolders,
  recognises: ({ records }) => records.some((json) => isHeader(json) || isEntry(json)),
  identify: ({ records }) => [identityOf(records)],
  read: (conversation) => readRecords(conversation, readRecord),
  /** The original of a fork, which must be filed first, and the files in which the session began or went on. */
  async filesOfSession(path, sessionId) {
    const { records } = await readHead(path);
    const file = records.map(originalOf).find((each) => each !== undefined);
    const original =
      file !== undefined && isAbsolute(file) && file.endsWith('.jsonl') && existsSync(file) ? [file] : [];
    const parts = ID.test(sessionId)
      ? await filesBelow(dirname(dirname(path)), [`*/*_${sessionId}.jsonl`])
      : [];
    return [...original, ...parts];
  },
};

const ID = /^[\w-]+$/;

/** The usual folder, and those from the environment and pi's settings. */
function sessionFolders(env: NodeJS.ProcessEnv): string[] {
  const home = homeOf(env, 'PI_CODING_AGENT_DIR', join('.pi', 'agent'));
  const setting = field.text(sideJson(join(home, 'settings.json')), 'sessionDir');
  const folders = [env.PI_CODING_AGENT_SESSION_DIR ?? '', setting ?? ''].map((folder) =>
    folder.replace(/^~(?=$|[/\\])/, () => homeFolder(env)),
  );
  // A relative path is a different folder in each project.
  return [...new Set([join(home, 'sessions'), ...folders.filter((folder) => isAbsolute(folder))])];
}

/** The file that a session was forked or cloned from; older releases use the second name. */
function originalOf(json: unknown): string | undefined {
  const header = isHeader(json) ? json : undefined;
  return field.name(header, 'parentSession') ?? field.name(header, 'branchedFrom');
}

function identityOf(records: readonly unknown[]): Identity {
  const first = records.find(isHeader);
  if (first === undefined) return { sessionId: undefined };
  // `<time>_<session id>.jsonl`
  const original = basename((originalOf(first) ?? '').replaceAll('\\', '/'));
  const id = /_([\w-]+)\.jsonl$/.exec(original)?.[1];
  const copiedFrom = id === undefined ? undefined : [id];
  const [sessionId, cwd] = [field.name(first, 'id'), field.name(first, 'cwd')];
  return { sessionId, cwd, begun: field.text(first, 'timestamp'), copiedFrom };
}

function readRecord(json: unknown, line: number): Entry[] | undefined {
  const type = field.text(json, 'type');
  const title = type === 'session_info' ? field.name(json, 'name') : undefined;
  if (title !== undefined) return titled(title);
  if (!isEntry(json)) return undefined;
  const [id, at] = [field.text(json, 'id'), field.text(json, 'timestamp')];
  /** The same in a fork. Ids are unique at most within a session, and the first format has none. */
  const copyKeyOf = (parts: readonly Part[]) => {
    const key = `${id ?? ''} ${at} ${sha256(JSON.stringify(parts)).slice(0, 16)}`;
    return at === undefined ? undefined : { key, weak: false };
  };
  const turnOf = (
    role: 'user' | 'assistant',
    parts: Part[],
    more: { spoken?: boolean; synthetic?: boolean } = {},
  ) => [turn(role, parts, { id, at, copyKey: copyKeyOf(parts), ...more })];
  const summary = (text: string, compaction?: Compaction): Entry[] => [
    { kind: 'summary', text, copyKey: copyKeyOf([textPart(text)]), ...(compaction && { compaction }) },
  ];
  const summarised = field.text(json, 'summary') ?? '';
  if (type === 'compaction') return summary(summarised, { tokensBefore: field.number(json, 'tokensBefore') });
  if (type === 'branch_summary') return summary(summarised);
  if (type === 'custom_message')
    return turnOf('user', contentParts(contentAt(json, 'content') ?? null), { synthetic: true });
  const message = field.object(json, 'message') ?? {};
  const { role } = message;
  if (role === 'system') return [];
  if (role === 'bashExecution') {
    // Run with `!!`: hidden from the model.
    if (message.excludeFromContext === true) return [];
    const ran = `[ran] ${field.text(message.command) ?? ''}\n\n${field.text(message.output) ?? ''}`;
    return turnOf('user', [textPart(ran.trimEnd())], { synthetic: true });
  }
  if (role === 'branchSummary' || role === 'compactionSummary')
    return summary(field.text(message.summary) ?? '');
  const failure = role === 'assistant' ? field.text(message.errorMessage)?.trim() : undefined;
  const isEmpty = message.content === undefined && failure !== undefined;
  const content = isEmpty ? null : contentAt(message, 'content');
  if (content === undefined) return [malformed(`${role} record without a readable message`, line)];
  const parts = contentParts(content);
  if (role === 'toolResult') {
    const error = message.isError === true;
    return turnOf('user', [
      { kind: 'result', id: field.text(message.toolCallId), text: wordsOf(parts), error },
    ]);
  }
  if (role === 'assistant') {
    if (!failure) return turnOf('assistant', parts);
    return turnOf('assistant', [...parts, textPart(`[error] ${failure}`)], { synthetic: parts.length === 0 });
  }
  if (role === 'user') return turnOf('user', parts.map(asTyped), { spoken: true });
  // `custom` (formerly `hookMessage`): added by an extension.
  return turnOf('user', parts, { synthetic: true });
}

const SKILL = /^<skill name="([^"]+)" location="[^"]*">\n[\s\S]*?\n<\/skill>(?:\n\n([\s\S]+))?$/;

/** What our extension asks the agent for `/mempalace-diary` (contrib/pi/diary.ts). */
const DIARY =
  /^Write one entry about this session into your diary in the memory palace: call \S+ with agent_name "[^\n]*?"(?:, topic ("(?:[^"\\\n]|\\.)*"))? and entry: [\s\S]*\n\nThen say in one line what you wrote\.$/;

/** A skill, and our command, are recorded with their full text. The user typed only the name and the following words. */
function asTyped(part: Part): Part {
  if (part.kind !== 'text') return part;
  const skill = SKILL.exec(part.text);
  if (skill !== null) return textPart(`/skill:${skill[1]} ${skill[2] ?? ''}`.trimEnd());
  const diary = DIARY.exec(part.text);
  if (diary === null) return part;
  const topic: unknown = diary[1] === undefined ? '' : JSON.parse(diary[1]);
  return textPart(`/mempalace-diary ${field.text(topic) ?? ''}`.trimEnd());
}
