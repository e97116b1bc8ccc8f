import { join } from 'node:path';
import { z } from 'zod';
import type { Entry, Part, Turn } from '../entry.js';
import type { FileHead, Harness, Identity } from '../harness.js';
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
  version: 1,
  places: (env) => [join(homeOf(env, 'PI_CODING_AGENT_DIR', join('.pi', 'agent')), 'sessions')],
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
};

function identityOf({ records }: FileHead): Identity {
  for (const json of records) {
    const parsed = header.safeParse(json);
    if (parsed.success)
      return { sessionId: parsed.data.id, cwd: parsed.data.cwd, begun: common.parse(json).timestamp };
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
  const turn = (role: Turn['role'], parts: Part[], spoken = false): Turn => ({
    kind: 'turn',
    role,
    parts,
    id,
    at: timestamp,
    spoken,
    ignored,
  });
  const { data } = parsed;
  if (data.type === 'compaction' || data.type === 'branch_summary')
    return { kind: 'summary', text: data.summary };
  if (data.type === 'custom_message') return turn('user', partsOf(data.content, ignored));
  const { message } = data;
  const { role } = message;
  if (role === 'bashExecution') {
    const ran = `[ran] ${textOf(message.command) ?? ''}\n\n${textOf(message.output) ?? ''}`;
    return turn('user', [{ kind: 'text', text: ran.trimEnd() }]);
  }
  if (role === 'branchSummary' || role === 'compactionSummary') {
    return { kind: 'summary', text: textOf(message.summary) ?? '' };
  }
  const read = content.safeParse(message.content);
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
  if (role === 'assistant') return turn('assistant', parts);
  if (role === 'user') return turn('user', parts, true);
  // `custom`, and `hookMessage` as it was called before: what an extension put in.
  return turn('user', parts);
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
