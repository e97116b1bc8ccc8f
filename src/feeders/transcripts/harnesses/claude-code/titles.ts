import { type Part, textOf } from '../../../../core/parts.js';
import { SESSION_HEADER } from '../../../../core/session-header.js';
import * as s from '../../../../core/shape.js';
import { readLines } from '../../../../platform/jsonl.js';
import type { ConversationFiles } from '../../harness.js';
import { sideJson, typeOf } from '../../records.js';
import { type Entry, isObject, titled } from '../../turns.js';

/** A title with a higher rank wins. */
const RANK = { description: 1, summary: 2, ai: 3, custom: 4, header: 5 };

/** The property of each record type that contains a title; `session-header` is the first line of our staged files. */
const TITLES: Record<string, { property: string; rank: number }> = {
  'custom-title': { property: 'customTitle', rank: RANK.custom },
  'ai-title': { property: 'aiTitle', rank: RANK.ai },
  'session-header': { property: 'title', rank: RANK.header },
};
const description = s.object({ description: s.string });
const summary = s.object({ summary: s.string, leafUuid: s.maybe(s.string) });

/** The title in a title record; undefined for every other record. */
export function titlesIn(json: unknown): Entry[] | undefined {
  const type = typeOf(json) ?? '';
  const found = Object.hasOwn(TITLES, type) ? TITLES[type] : undefined;
  if (found === undefined || !isObject(json)) return undefined;
  const title = textOf(json[found.property]);
  return title === undefined ? undefined : titled(title, found.rank);
}

/** The title in the header line that our session feeder writes. */
export function headerTitle([first]: readonly Part[]): Entry[] {
  if (first?.kind !== 'text' || !SESSION_HEADER.test(first.text)) return [];
  // The title itself may contain ` | `. An absolute path and the date follow it.
  const title =
    /^\[session: (.*?) \| (?:\/|[A-Za-z]:\\|~).* \| \d{4}-\d{2}-\d{2}/.exec(first.text)?.[1] ??
    /^\[session: (.*?) \|/.exec(first.text)?.[1];
  return titled(title, RANK.header);
}

/** The sub-agent's task, from the file next to its transcript. */
export function agentDescription(path: string): Entry[] {
  const found = s.shaped(description, sideJson(path.replace(/\.jsonl$/, '.meta.json')));
  return titled(found?.description, RANK.description);
}

/** The session's summaries. Releases before 2.0 also write summaries of other sessions at its beginning. */
export function summaries(conversation: ConversationFiles): (json: unknown) => Promise<Entry[] | undefined> {
  let uuids: Set<string> | undefined;
  /** Undefined if the record is not a summary. */
  return async (json) => {
    const data = typeOf(json) === 'summary' ? s.shaped(summary, json) : undefined;
    if (data === undefined) return undefined;
    const { summary: text, leafUuid } = data;
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
