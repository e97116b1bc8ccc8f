import { existsSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import type { Compaction } from '../../../checkpoint/record.js';
import { sha256 } from '../../../core/hash.js';
import { contentParts, contentShape, type Part, textOf, textPart } from '../../../core/parts.js';
import * as s from '../../../core/shape.js';
import { homeFolder } from '../../../platform/folders.js';
import { filesBelow } from '../files-below.js';
import type { Harness, Identity } from '../harness.js';
import { readHead } from '../head.js';
import { homeOf } from '../homes.js';
import { readRecords, sideJson } from '../records.js';
import { type Entry, malformed, titled, turn, wordsOf } from '../turns.js';

/** Sessions of pi (`~/.pi/agent/sessions/**`): a header, then entries of a tree. Reads all branches, in file order. */
const header = s.object({
  type: s.literal('session'),
  id: s.name,
  cwd: s.maybe(s.name),
  timestamp: s.maybe(s.string),
  /** The file that it was forked or cloned from; older releases use the second name. */
  parentSession: s.maybe(s.name),
  branchedFrom: s.maybe(s.name),
});
const entry = s.union(
  s.object({ type: s.literal('message'), message: s.looseObject({ role: s.string }) }),
  s.object({ type: s.literal('custom_message'), content: contentShape }),
  s.object({ type: s.literal('compaction'), summary: s.string, tokensBefore: s.maybe(s.number) }),
  s.object({ type: s.literal('branch_summary'), summary: s.string }),
);
const common = s.object({ id: s.maybe(s.string), timestamp: s.maybe(s.string) });
const named = s.object({ type: s.literal('session_info'), name: s.name });
const settings = s.object({ sessionDir: s.name });

export const pi: Harness = {
  name: 'pi',
  label: 'pi',
  patterns: ['**/*.jsonl'],
  version: 2,
  places: sessionFolders,
  recognises: ({ records }) =>
    records.some((json) => s.shaped(header, json) !== undefined || s.shaped(entry, json) !== undefined),
  identify: ({ records }) => [identityOf(records)],
  read: (conversation) => readRecords(conversation, readRecord),
  /** The original of a fork, which must be filed first, and the files in which the session began or went on. */
  async filesOfSession(path, sessionId) {
    const { records } = await readHead(path);
    const file = records.map(originalOf).find((each) => each !== undefined);
    const original =
      file !== undefined && isAbsolute(file) && file.endsWith('.jsonl') && existsSync(file) ? [file] : [];
    // One folder per project.
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
  const data = s.shaped(settings, sideJson(join(home, 'settings.json')));
  const folders = [env.PI_CODING_AGENT_SESSION_DIR ?? '', data?.sessionDir ?? ''].map((folder) =>
    folder.replace(/^~(?=$|[/\\])/, () => homeFolder(env)),
  );
  // A relative path is a different folder in each project.
  return [...new Set([join(home, 'sessions'), ...folders.filter((folder) => isAbsolute(folder))])];
}

function originalOf(json: unknown): string | undefined {
  const { parentSession, branchedFrom } = s.shaped(header, json) ?? {};
  return parentSession ?? branchedFrom;
}

function identityOf(records: readonly unknown[]): Identity {
  const [first] = records.flatMap((json) => s.shaped(header, json) ?? []);
  if (first === undefined) return { sessionId: undefined };
  // `<time>_<session id>.jsonl`
  const original = basename((originalOf(first) ?? '').replaceAll('\\', '/'));
  const id = /_([\w-]+)\.jsonl$/.exec(original)?.[1];
  const copiedFrom = id === undefined ? undefined : [id];
  return { sessionId: first.id, cwd: first.cwd, begun: first.timestamp, copiedFrom };
}

function readRecord(json: unknown, line: number): Entry[] | undefined {
  const title = s.shaped(named, json)?.name;
  if (title !== undefined) return titled(title);
  const data = s.shaped(entry, json);
  if (data === undefined) return undefined;
  const { id, timestamp: at } = s.shaped(common, json) ?? {};
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
  if (data.type === 'compaction') return summary(data.summary, { tokensBefore: data.tokensBefore });
  if (data.type === 'branch_summary') return summary(data.summary);
  if (data.type === 'custom_message') return turnOf('user', contentParts(data.content), { synthetic: true });
  const { message } = data;
  const { role } = message;
  // A prompt of the program.
  if (role === 'system') return [];
  if (role === 'bashExecution') {
    // Run with `!!`: hidden from the model.
    if (message.excludeFromContext === true) return [];
    const ran = `[ran] ${textOf(message.command) ?? ''}\n\n${textOf(message.output) ?? ''}`;
    return turnOf('user', [textPart(ran.trimEnd())], { synthetic: true });
  }
  if (role === 'branchSummary' || role === 'compactionSummary') return summary(textOf(message.summary) ?? '');
  const failure = role === 'assistant' ? textOf(message.errorMessage)?.trim() : undefined;
  const content = s.shaped(
    contentShape,
    message.content === undefined && failure !== undefined ? null : message.content,
  );
  if (content === undefined) return [malformed(`${role} record without a readable message`, line)];
  const parts = contentParts(content);
  if (role === 'toolResult') {
    const error = message.isError === true;
    return turnOf('user', [{ kind: 'result', id: textOf(message.toolCallId), text: wordsOf(parts), error }]);
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
  return textPart(`/mempalace-diary ${textOf(topic) ?? ''}`.trimEnd());
}
