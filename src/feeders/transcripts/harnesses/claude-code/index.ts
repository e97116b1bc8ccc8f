import { basename, dirname, join } from 'node:path';
import type { Compaction } from '../../../../checkpoint/record.js';
import * as field from '../../../../core/fields.js';
import type { Part } from '../../../../core/parts.js';
import { SESSION_HEADER } from '../../../../core/session-header.js';
import { readLines } from '../../../../platform/jsonl.js';
import { filesBelow } from '../../files-below.js';
import type { ConversationFiles, FileHead, Harness, Identity } from '../../harness.js';
import { readHead } from '../../head.js';
import { homeOf } from '../../homes.js';
import { jsonRecords, sideJson } from '../../records.js';
import { type Entry, titled } from '../../turns.js';
import { compactionIn, Queue, readRecord } from './records.js';

/**
 * Transcripts of Claude Code: `~/.claude/projects/<folder>/<session id>.jsonl`. Those of sub-agents are in
 * `<session id>/subagents/agent-<id>.jsonl`; before 2.1 they were next to the session's.
 * Also transcripts of other programs in this format, with a field `harness`: our own staged files are among them.
 */
export const claudeCode: Harness = {
  name: 'claude-code',
  label: 'Claude Code',
  patterns: ['**/*.jsonl'],
  places: (env) => [join(homeOf(env, 'CLAUDE_CONFIG_DIR', '.claude'), 'projects')],
  recognises: ({ records }) => records.some(isOwn),
  identify: (head) => [identityOf(head)],
  idsAreUnique: true,
  read,
  filesOfSession,
};

/** Whether a record shows the format. Many internal records may precede the first message. */
function isOwn(json: unknown): boolean {
  const type = field.text(json, 'type') ?? '';
  const content = field.value(json, 'message', 'content');
  const isMessage = ['user', 'assistant', 'human'].includes(type);
  if (isMessage && (typeof content === 'string' || Array.isArray(content))) return true;
  if (type === 'summary' && field.text(json, 'summary') !== undefined) return true;
  const isInSession = type === 'queue-operation' || typeof field.value(json, 'isSidechain') === 'boolean';
  return field.text(json, 'type') !== undefined && field.text(json, 'sessionId') !== undefined && isInSession;
}

function identityOf({ path, records }: FileHead): Identity {
  const namesIn = (...fields: string[]) => records.flatMap((json) => field.name(json, ...fields) ?? []);
  const sessions = new Set(namesIn('sessionId'));
  // The first records of a fork may contain the id of the original session.
  const name = basename(path, '.jsonl');
  const sessionId = sessions.has(name) ? name : namesIn('sessionId')[0];
  const originals = new Set(namesIn('forkedFrom', 'sessionId'));
  for (const session of sessions) if (session !== sessionId) originals.add(session);
  return {
    harness: namesIn('harness')[0] ?? (sessionId?.startsWith('ses_') === true ? 'opencode' : undefined),
    sessionId,
    agentId: namesIn('agentId')[0],
    cwd: namesIn('cwd')[0],
    begun: namesIn('timestamp')[0],
    copiedFrom: originals.size === 0 ? undefined : [...originals],
  };
}

/** Identifies a record that is repeated. Some gateways give all records one uuid. */
function nameOf(json: unknown): string | undefined {
  if (field.name(json, 'uuid') === undefined) return undefined;
  return ['uuid', 'parentUuid', 'timestamp', 'type'].map((name) => field.text(json, name)).join(' ');
}

async function* read(conversation: ConversationFiles): AsyncGenerator<Entry> {
  const summaryIn = summaries(conversation);
  const queue = new Queue();
  const uuids = new Set<string>();
  const { agentId } = conversation.identity;
  if (agentId !== undefined) yield* agentDescription(conversation.files[0].path);
  let compaction: Compaction | undefined;
  let branch = '';
  let first = true;
  let warmUp = agentId !== undefined;
  for await (const line of jsonRecords(conversation)) {
    if ('kind' in line) {
      yield line;
      continue;
    }
    const { json } = line;
    if (queue.takes(json)) continue;
    const known =
      titlesIn(json) ?? (field.text(json, 'type') === 'summary' ? await summaryIn(json) : undefined);
    if (known !== undefined) {
      yield* known;
      continue;
    }
    compaction = compactionIn(json) ?? compaction;
    const gitBranch = field.name(json, 'gitBranch') ?? 'HEAD';
    // `HEAD` stands for a folder without git, and for a commit without a branch.
    if (gitBranch !== 'HEAD' && gitBranch !== branch) {
      branch = gitBranch;
      yield { kind: 'fact', branch };
    }
    const name = nameOf(json);
    if (name !== undefined && uuids.has(name)) continue;
    if (name !== undefined) uuids.add(name);
    for (const entry of readRecord(json, line.line, conversation, compaction)) {
      if (entry.kind === 'turn') {
        if (first) yield* headerTitle(entry.parts);
        first = false;
        // Before 2.1, every start warmed up its agents, with one such transcript per agent.
        const [part] = entry.parts;
        if (entry.role === 'user' && !(part?.kind === 'text' && part.text === 'Warmup')) warmUp = false;
      }
      yield entry;
    }
  }
  yield* queue.rest();
  if (warmUp && !first) yield { kind: 'fact', noSession: 'warm-up of an agent' };
}

/** A title with a higher rank wins. */
const RANK = { description: 1, summary: 2, ai: 3, custom: 4, header: 5 };

/** The property of each record type that contains a title; `session-header` is the first line of our staged files. */
const TITLES: Record<string, { property: string; rank: number }> = {
  'custom-title': { property: 'customTitle', rank: RANK.custom },
  'ai-title': { property: 'aiTitle', rank: RANK.ai },
  'session-header': { property: 'title', rank: RANK.header },
};

/** The title in a title record; undefined for every other record. */
function titlesIn(json: unknown): Entry[] | undefined {
  const type = field.text(json, 'type') ?? '';
  const found = Object.hasOwn(TITLES, type) ? TITLES[type] : undefined;
  const title = found && field.text(json, found.property);
  return title === undefined ? undefined : titled(title, found?.rank);
}

/** The title in the header line that our session feeder writes. */
function headerTitle([first]: readonly Part[]): Entry[] {
  if (first?.kind !== 'text' || !SESSION_HEADER.test(first.text)) return [];
  // The title itself may contain ` | `. An absolute path and the date follow it.
  const title =
    /^\[session: (.*?) \| (?:\/|[A-Za-z]:\\|~).* \| \d{4}-\d{2}-\d{2}/.exec(first.text)?.[1] ??
    /^\[session: (.*?) \|/.exec(first.text)?.[1];
  return titled(title, RANK.header);
}

/** The sub-agent's task, from the file next to its transcript. */
function agentDescription(path: string): Entry[] {
  const beside = sideJson(path.replace(/\.jsonl$/, '.meta.json'));
  return titled(field.text(beside, 'description'), RANK.description);
}

/** The session's summaries. Releases before 2.0 also write summaries of other sessions at its beginning. */
function summaries(conversation: ConversationFiles): (json: unknown) => Promise<Entry[] | undefined> {
  let uuids: Set<string> | undefined;
  /** Undefined if the record is not a summary. */
  return async (json) => {
    const text = field.text(json, 'type') === 'summary' ? field.text(json, 'summary') : undefined;
    if (text === undefined) return undefined;
    const leafUuid = field.text(json, 'leafUuid');
    if (leafUuid !== undefined) uuids ??= await uuidsOf(conversation);
    if (leafUuid !== undefined && uuids?.has(leafUuid) === false) return [];
    return [...titled(text, RANK.summary), { kind: 'summary', text }];
  };
}

async function uuidsOf({ files }: ConversationFiles): Promise<Set<string>> {
  const uuids = new Set<string>();
  for (const { path } of files) {
    for await (const { text } of readLines(path)) {
      for (const [, uuid = ''] of text?.matchAll(/"uuid":\s?"([^"\\]{1,100})"/g) ?? []) uuids.add(uuid);
    }
  }
  return uuids;
}

/** Those of its sub-agents, and those in which it began or went on, in the folders of other projects. */
async function filesOfSession(path: string, sessionId: string): Promise<string[]> {
  const parts = await filesBelow(dirname(dirname(path)), [`*/${basename(path)}`]);
  const adjacent: string[] = [];
  for (const file of await filesBelow(dirname(path), ['agent-*.jsonl'])) {
    const head = await readHead(file).catch(() => undefined);
    if (head !== undefined && identityOf(head).sessionId === sessionId) adjacent.push(file);
  }
  const agents = await Promise.all(
    [path, ...parts].map((part) => filesBelow(join(dirname(part), sessionId), ['**/*.jsonl'])),
  );
  return [...parts, ...agents.flat(), ...adjacent];
}
