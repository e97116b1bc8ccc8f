import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { readLines } from '../../../common/jsonl.js';
import type { Entry, Part } from '../entry.js';
import type { ConversationFiles, FileHead, Harness, Identity } from '../harness.js';
import { readHead } from '../head.js';
import { homeOf } from '../homes.js';
import { jsonRecords, oneLineOf, otherRecord, textOf } from '../records.js';

/**
 * The records of a transcript of Claude Code (`~/.claude/projects/<folder>/<session id>.jsonl`). Whoever writes its
 * format is read as well, and named by the field `harness`; our own staged files are such.
 */
const block = z.looseObject({ type: z.string() });
const message = z.object({
  id: z.string().optional().catch(undefined),
  content: z.union([z.string(), z.array(block)]),
});
const record = z.object({
  type: z.string(),
  uuid: z.string().optional(),
  messageId: z.string().optional(),
  timestamp: z.string().optional(),
  isMeta: z.boolean().optional(),
  isCompactSummary: z.boolean().optional(),
  summary: z.string().optional(),
  leafUuid: z.string().optional().catch(undefined),
});
const named = z.string().min(1).optional().catch(undefined);
const fields = z.object({
  harness: named,
  sessionId: named,
  agentId: named,
  cwd: named,
  timestamp: named,
});
const spoken = z.looseObject({ type: z.enum(['user', 'assistant', 'human']), message: z.unknown() });
const summarised = z.looseObject({ type: z.literal('summary'), summary: z.string() });

/** The first turn that our feeder of opencode's sessions writes. */
const HEADER = /^\[session: .* \| \d{4}-\d{2}-\d{2}(?: \| [^\n]*)?\]$/;
/** Titles, the better one higher. */
const RANK = { summary: 1, header: 4 };

export const claudeCode: Harness = {
  name: 'claude-code',
  label: 'Claude Code',
  version: 1,
  places: (env) => [join(homeOf(env, 'CLAUDE_CONFIG_DIR', '.claude'), 'projects')],
  patterns: ['**/*.jsonl'],
  recognises: ({ records }) =>
    records.some((json) => spoken.safeParse(json).success || summarised.safeParse(json).success),
  identify: (head) => [identityOf(head)],
  idsAreUnique: true,
  sameSession: 'newest',
  read,
  filesOfSession,
};

function identityOf({ path, records }: FileHead): Identity {
  const found: z.infer<typeof fields> = {};
  const sessions = new Set<string>();
  for (const json of records) {
    const parsed = fields.safeParse(json);
    if (!parsed.success) continue;
    const { harness, sessionId, agentId, cwd, timestamp } = parsed.data;
    if (sessionId !== undefined) sessions.add(sessionId);
    found.harness ??= harness;
    found.sessionId ??= sessionId;
    found.agentId ??= agentId;
    found.cwd ??= cwd;
    found.timestamp ??= timestamp;
  }
  // A fork's first records name the session that they were copied from.
  const name = basename(path, '.jsonl');
  const sessionId = sessions.has(name) ? name : found.sessionId;
  const harness = found.harness ?? (sessionId?.startsWith('ses_') === true ? 'opencode' : undefined);
  return { harness, sessionId, agentId: found.agentId, cwd: found.cwd, begun: found.timestamp };
}

async function* read(conversation: ConversationFiles): AsyncGenerator<Entry> {
  const summaries = new Summaries(conversation);
  let first = true;
  for await (const line of jsonRecords(conversation)) {
    if ('kind' in line) {
      yield line;
      continue;
    }
    const entry = readRecord(line.json, line.line);
    if (entry.kind === 'turn' && first) {
      first = false;
      const title = headerTitle(entry.parts);
      if (title !== undefined) yield { kind: 'fact', title: { text: title, rank: RANK.header } };
    }
    if (entry.kind !== 'summary') {
      yield entry;
      continue;
    }
    // Before it resumes, Claude Code names other sessions here, too.
    if (!(await summaries.isOwn(line.json))) {
      yield { kind: 'ignored', type: 'summary of another session' };
      continue;
    }
    const text = oneLineOf(entry.text);
    if (text !== undefined) yield { kind: 'fact', title: { text, rank: RANK.summary } };
    yield entry;
  }
}

/** Tells the summaries of this session from those of others, which the file holds as well. */
class Summaries {
  readonly #conversation: ConversationFiles;
  #uuids: Set<string> | undefined;

  constructor(conversation: ConversationFiles) {
    this.#conversation = conversation;
  }

  async isOwn(json: unknown): Promise<boolean> {
    const leaf = record.safeParse(json).data?.leafUuid;
    if (leaf === undefined) return true;
    this.#uuids ??= await uuidsOf(this.#conversation);
    return this.#uuids.has(leaf);
  }
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

function readRecord(json: unknown, line: number): Entry {
  const parsed = record.safeParse(json);
  if (!parsed.success) return { kind: 'malformed', line, reason: 'not a transcript record' };
  const { type, summary } = parsed.data;
  if (type === 'summary' && summary !== undefined) return { kind: 'summary', text: summary };
  const role = type === 'human' ? 'user' : type;
  if (role !== 'user' && role !== 'assistant') return otherRecord(json, line);
  const content = z.object({ message }).safeParse(json);
  if (!content.success)
    return { kind: 'malformed', line, reason: `${role} record without a readable message` };
  const ignored: string[] = [];
  return {
    kind: 'turn',
    role,
    parts: partsOf(content.data.message.content, parsed.data.isCompactSummary === true, ignored),
    id: parsed.data.messageId ?? parsed.data.uuid,
    at: parsed.data.timestamp,
    spoken: parsed.data.isMeta !== true,
    synthetic: parsed.data.isMeta === true || parsed.data.isCompactSummary === true,
    message: content.data.message.id,
    ignored,
  };
}

/** The title in the header that our feeder writes. */
function headerTitle(parts: readonly Part[]): string | undefined {
  const [first] = parts;
  if (first?.kind !== 'text' || !HEADER.test(first.text)) return undefined;
  // The title itself may hold ` | `: the directory is an absolute path, the date the last part of its form.
  return (
    /^\[session: (.*?) \| (?:\/|[A-Za-z]:\\|~).* \| \d{4}-\d{2}-\d{2}/.exec(first.text)?.[1] ??
    /^\[session: (.*?) \|/.exec(first.text)?.[1]
  );
}
type Block = z.infer<typeof block>;

function partsOf(content: string | Block[], summary: boolean, ignored: string[]): Part[] {
  const prefix = summary ? '[compaction summary] ' : '';
  if (typeof content === 'string') return [{ kind: 'text', text: prefix + content }];
  const parts: Part[] = [];
  for (const entry of content) {
    const part = partOf(entry);
    if (part === undefined) ignored.push(`${entry.type} block`);
    else parts.push(part.kind === 'text' && prefix !== '' ? { ...part, text: prefix + part.text } : part);
  }
  return parts;
}

function partOf(entry: Block): Part | undefined {
  const { type } = entry;
  if (type === 'text') return typeof entry.text === 'string' ? { kind: 'text', text: entry.text } : undefined;
  if (type === 'thinking') {
    return typeof entry.thinking === 'string'
      ? { kind: 'text', text: `[reasoning] ${entry.thinking}` }
      : undefined;
  }
  // Tools that the provider runs itself come as server_tool_use and <tool>_tool_result.
  if (type.endsWith('tool_use')) {
    return {
      kind: 'call',
      id: textOf(entry.id),
      name: textOf(entry.name) ?? 'unknown',
      input: entry.input,
    };
  }
  if (type.endsWith('tool_result')) {
    const error = entry.is_error === true;
    return { kind: 'result', id: textOf(entry.tool_use_id), text: resultText(entry.content), error };
  }
  const attachment = attachmentLine(entry);
  return attachment === undefined ? undefined : { kind: 'text', text: attachment };
}

function resultText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  const lines: string[] = [];
  for (const entry of content) {
    const parsed = block.safeParse(entry);
    if (!parsed.success) continue;
    const text = textOf(parsed.data.text) ?? attachmentLine(parsed.data) ?? textOf(parsed.data.url);
    if (text !== undefined) lines.push(text);
  }
  return lines.join('\n');
}

const source = z.object({ media_type: z.string().optional() }).optional();

/** One line for an image or a document: its kind, type and title, never its data. */
function attachmentLine(entry: Block): string | undefined {
  if (entry.type !== 'image' && entry.type !== 'document') return undefined;
  const parsed = source.safeParse(entry.source);
  const words = [entry.type, parsed.success ? parsed.data?.media_type : undefined, textOf(entry.title)];
  return `[${words.filter((word) => word !== undefined && word !== '').join(' ')}]`.replace(/\s+/g, ' ');
}

/** Those of its sub-agents lie in a folder of the session's name or, in earlier versions, beside it. */
async function filesOfSession(path: string, sessionId: string): Promise<string[]> {
  const { default: glob } = await import('fast-glob');
  const find = (cwd: string, pattern: string) =>
    glob(pattern, { cwd, dot: true, absolute: true, followSymbolicLinks: false, suppressErrors: true });
  const beside: string[] = [];
  for (const file of await find(dirname(path), 'agent-*.jsonl')) {
    const head = await readHead({ path: file, mtimeMs: 0, size: 0 }).catch(() => undefined);
    if (head !== undefined && identityOf(head).sessionId === sessionId) beside.push(file);
  }
  return [...(await find(join(dirname(path), sessionId), '**/*.jsonl')), ...beside];
}
