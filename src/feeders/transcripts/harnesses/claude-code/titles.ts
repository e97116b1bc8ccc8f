import { z } from 'zod';
import type { Part } from '../../../../core/parts.js';
import { readLines } from '../../../../platform/jsonl.js';
import type { ConversationFiles } from '../../harness.js';
import { sideJson, typeOf } from '../../records.js';
import { type Entry, optionalText, titled } from '../../turns.js';

/** The better title has the higher rank; what a person chose is the best. */
const RANK = { description: 1, summary: 2, ai: 3, custom: 4, header: 5 };

/** The first turn that our feeder of opencode's sessions writes. */
const HEADER = /^\[session: .* \| \d{4}-\d{2}-\d{2}(?: \| [^\n]*)?\]$/;

const custom = z.object({ customTitle: z.string() });
const ai = z.object({ aiTitle: z.string() });
const header = z.object({ title: z.string() });
const description = z.object({ description: z.string() });
const summary = z.looseObject({ type: z.literal('summary'), summary: z.string(), leafUuid: optionalText });

/** What a record of titles says; undefined for every other record. */
export function titlesIn(json: unknown): Entry[] | undefined {
  switch (typeOf(json)) {
    case 'custom-title': {
      const { data } = custom.safeParse(json);
      return data && titled(data.customTitle, RANK.custom);
    }
    case 'ai-title': {
      const { data } = ai.safeParse(json);
      return data && titled(data.aiTitle, RANK.ai);
    }
    // The first line of what we stage ourselves.
    case 'session-header': {
      const { data } = header.safeParse(json);
      return data && titled(data.title, RANK.header);
    }
    default:
      return undefined;
  }
}

/** The title in the header that our feeder writes. */
export function headerTitle([first]: readonly Part[]): Entry[] {
  if (first?.kind !== 'text' || !HEADER.test(first.text)) return [];
  // The title itself may contain ` | `: the directory is an absolute path, the date the last part of its form.
  const title =
    /^\[session: (.*?) \| (?:\/|[A-Za-z]:\\|~).* \| \d{4}-\d{2}-\d{2}/.exec(first.text)?.[1] ??
    /^\[session: (.*?) \|/.exec(first.text)?.[1];
  return titled(title, RANK.header);
}

/** What the sub-agent was started for, as a file beside its transcript says. */
export function descriptionBeside(path: string): Entry[] {
  const { data } = description.safeParse(sideJson(path.replace(/\.jsonl$/, '.meta.json')));
  return titled(data?.description, RANK.description);
}

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
    const { summary: text, leafUuid } = data;
    if (leafUuid !== undefined) {
      this.#uuids ??= await uuidsOf(this.#conversation);
      if (!this.#uuids.has(leafUuid)) return [];
    }
    return [...titled(text, RANK.summary), { kind: 'summary', text }];
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
