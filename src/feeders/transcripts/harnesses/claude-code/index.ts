import { basename, dirname, join } from 'node:path';
import type { Compaction } from '../../../../checkpoint/record.js';
import { textOf } from '../../../../core/parts.js';
import * as s from '../../../../core/shape.js';
import { filesBelow } from '../../files-below.js';
import type { ConversationFiles, FileHead, Harness, Identity } from '../../harness.js';
import { readHead } from '../../head.js';
import { homeOf } from '../../homes.js';
import { jsonRecords, typeOf } from '../../records.js';
import { type Entry, isObject } from '../../turns.js';
import { compactionIn, Queue, readRecord } from './records.js';
import { agentDescription, headerTitle, summaries, titlesIn } from './titles.js';

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
  recognises: ({ records }) =>
    records.some((json) => RECORDS.some((each) => s.shaped<unknown>(each, json) !== undefined)),
  identify: (head) => [identityOf(head)],
  idsAreUnique: true,
  read,
  filesOfSession,
};

/** Records by which the format is recognised. Many internal records may precede the first message. */
const RECORDS = [
  s.object({
    type: s.literal('user', 'assistant', 'human'),
    message: s.object({ content: s.union(s.string, s.array(s.unknown)) }),
  }),
  s.object({ type: s.literal('summary'), summary: s.string }),
  s.object({ type: s.string, sessionId: s.string, isSidechain: s.boolean }),
  s.object({ type: s.literal('queue-operation'), sessionId: s.string }),
];
const fields = s.object({
  harness: s.maybe(s.name),
  sessionId: s.maybe(s.name),
  agentId: s.maybe(s.name),
  cwd: s.maybe(s.name),
  timestamp: s.maybe(s.name),
  forkedFrom: s.maybe(s.object({ sessionId: s.maybe(s.name) })),
});

function identityOf({ path, records }: FileHead): Identity {
  const found = records.flatMap((json) => s.shaped(fields, json) ?? []);
  const first = (name: 'harness' | 'sessionId' | 'agentId' | 'cwd' | 'timestamp') =>
    found.find((each) => each[name] !== undefined)?.[name];
  const sessions = new Set(found.flatMap((each) => each.sessionId ?? []));
  // The first records of a fork may contain the id of the original session.
  const name = basename(path, '.jsonl');
  const sessionId = sessions.has(name) ? name : first('sessionId');
  const originals = new Set(found.flatMap((each) => each.forkedFrom?.sessionId ?? []));
  for (const session of sessions) if (session !== sessionId) originals.add(session);
  return {
    harness: first('harness') ?? (sessionId?.startsWith('ses_') === true ? 'opencode' : undefined),
    sessionId,
    agentId: first('agentId'),
    cwd: first('cwd'),
    begun: first('timestamp'),
    copiedFrom: originals.size === 0 ? undefined : [...originals],
  };
}

/** Identifies a record that is repeated. Some gateways give all records one uuid. */
function nameOf(json: unknown): string | undefined {
  if (!isObject(json) || !textOf(json.uuid)) return undefined;
  return [json.uuid, json.parentUuid, json.timestamp, json.type].map((field) => textOf(field)).join(' ');
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
    const known = titlesIn(json) ?? (typeOf(json) === 'summary' ? await summaryIn(json) : undefined);
    if (known !== undefined) {
      yield* known;
      continue;
    }
    compaction = compactionIn(json) ?? compaction;
    const gitBranch = isObject(json) ? textOf(json.gitBranch) : undefined;
    // `HEAD` stands for a folder without git, and for a commit without a branch.
    if (gitBranch !== undefined && gitBranch !== '' && gitBranch !== 'HEAD' && gitBranch !== branch) {
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
