import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { readLines } from '../../../../platform/jsonl.js';
import type { Entry, Part } from '../../entry.js';
import type { ConversationFiles } from '../../harness.js';
import { oneLineOf, typeOf } from '../../records.js';

/** The better title has the higher rank; what a person chose is the best. */
const RANK = { description: 1, summary: 2, 'ai-title': 3, 'custom-title': 4, header: 5 };

/** The first turn that our feeder of opencode's sessions writes. */
const HEADER = /^\[session: .* \| \d{4}-\d{2}-\d{2}(?: \| [^\n]*)?\]$/;

const titled = z.union([
  z.object({ type: z.literal('custom-title'), customTitle: z.string() }),
  z.object({ type: z.literal('ai-title'), aiTitle: z.string() }),
  /** The first line of what we stage ourselves. */
  z.object({ type: z.literal('session-header'), title: z.string() }),
]);

const TITLED = new Set(['custom-title', 'ai-title', 'session-header']);

/** What a record of titles says; undefined for every other record. */
export function titleIn(json: unknown): Entry | undefined {
  if (!TITLED.has(typeOf(json) ?? '')) return undefined;
  const { data } = titled.safeParse(json);
  if (data === undefined) return undefined;
  if (data.type === 'custom-title') return fact(data.customTitle, RANK['custom-title']);
  if (data.type === 'ai-title') return fact(data.aiTitle, RANK['ai-title']);
  return fact(data.title, RANK.header);
}

function fact(text: string, rank: number): Entry {
  return { kind: 'fact', title: { text, rank } };
}

/** The title in the header that our feeder writes. */
export function headerTitle(parts: readonly Part[]): Entry | undefined {
  const [first] = parts;
  if (first?.kind !== 'text' || !HEADER.test(first.text)) return undefined;
  // The title itself may hold ` | `: the directory is an absolute path, the date the last part of its form.
  const title =
    /^\[session: (.*?) \| (?:\/|[A-Za-z]:\\|~).* \| \d{4}-\d{2}-\d{2}/.exec(first.text)?.[1] ??
    /^\[session: (.*?) \|/.exec(first.text)?.[1];
  return title === undefined ? undefined : fact(title, RANK.header);
}

const description = z.object({ description: z.string() });

/** What the sub-agent was started for, as a file beside its transcript says. */
export function descriptionBeside(path: string): Entry | undefined {
  try {
    const beside: unknown = JSON.parse(readFileSync(path.replace(/\.jsonl$/, '.meta.json'), 'utf8'));
    const { data } = description.safeParse(beside);
    return data === undefined ? undefined : fact(data.description, RANK.description);
  } catch {
    return undefined;
  }
}

const summary = z.looseObject({
  type: z.literal('summary'),
  summary: z.string(),
  leafUuid: z.string().optional().catch(undefined),
});

/** Tells the summaries of this session from those of others, which releases before 2.0 write at its head. */
export class Summaries {
  readonly #conversation: ConversationFiles;
  #uuids: Set<string> | undefined;

  constructor(conversation: ConversationFiles) {
    this.#conversation = conversation;
  }

  /** What a summary says; undefined for every other record. */
  async read(json: unknown): Promise<Entry[] | undefined> {
    const data = typeOf(json) === 'summary' ? summary.safeParse(json).data : undefined;
    if (data === undefined) return undefined;
    if (!(await this.#isOwn(data.leafUuid))) return [{ kind: 'ignored', type: 'summary of another session' }];
    const title = oneLineOf(data.summary);
    const said: Entry = { kind: 'summary', text: data.summary };
    return title === undefined ? [said] : [fact(title, RANK.summary), said];
  }

  async #isOwn(leaf: string | undefined): Promise<boolean> {
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
