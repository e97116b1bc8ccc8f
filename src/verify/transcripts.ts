import { existsSync } from 'node:fs';
import type { Skipped } from '../common/contract.js';
import { type JsonLine, MAX_LINE_BYTES } from '../common/jsonl.js';
import {
  filesOfStaged,
  SessionCleaner,
  surveyTranscripts,
  type TranscriptOptions,
  transcriptOf,
  type WorkItem,
} from '../feeders/transcripts/index.js';
import { conversationSegments } from '../miner/segments.js';
import type { FiledSource, Palace } from '../store/index.js';
import { FiledText } from './filed-text.js';
import { aboutFiled, type Finding } from './finding.js';

/** What the feeder of transcripts is told, but where they lie: where they did when they were filed. */
export type VerifyTranscriptsOptions = Omit<TranscriptOptions, 'places' | 'files' | 'minMessages' | 'force'>;

/**
 * Compares filed transcripts with what their files say now, as their feeder would stage them. One that is gone is no
 * orphan: programs clear their old ones away.
 */
export async function* verifyTranscripts(
  palace: Palace,
  filed: readonly FiledSource[],
  options: VerifyTranscriptsOptions,
): AsyncGenerator<Finding> {
  const staged = filesOfStaged(options.cache);
  const there = new Map<string, FiledSource>();
  const files = new Set<string>();
  for (const source of filed) {
    const own = (staged.get(source.sourceKey) ?? [source.origin]).filter((path) => existsSync(path));
    if (own.length === 0) {
      yield aboutFiled(source, 'not_checked', { harmless: true, detail: 'its transcript is gone' });
      continue;
    }
    there.set(source.sourceKey, source);
    for (const path of own) files.add(path);
  }
  if (files.size === 0) return;
  const survey = await surveyTranscripts({
    ...options,
    places: [],
    files: [...files],
    minMessages: 0,
    force: true,
  });
  for (const item of survey.items) {
    options.signal?.throwIfAborted();
    const source = there.get(item.conversation.sourceKey);
    there.delete(item.conversation.sourceKey);
    if (source !== undefined) yield await compared(item, source, palace, options);
  }
  for (const source of there.values()) yield passedOver(source, survey.skipped);
}

async function compared(
  item: WorkItem,
  source: FiledSource,
  palace: Palace,
  { sanitiser }: VerifyTranscriptsOptions,
): Promise<Finding> {
  try {
    const same = await palace.archive.during(async () => {
      const text = new FiledText(palace.archive.texts(source.id));
      const { lines } = await transcriptOf(item, new SessionCleaner(sanitiser));
      for await (const segment of conversationSegments({ path: numbered(lines) })) text.meet(segment.text);
      return text.end();
    });
    return same ? aboutFiled(source, 'ok') : aboutFiled(source, 'stale', { detail: 'its text changed' });
  } catch (error) {
    const detail = `it cannot be read: ${error instanceof Error ? error.message : String(error)}`;
    return aboutFiled(source, 'not_checked', { detail });
  }
}

async function* numbered(lines: AsyncIterable<string>): AsyncGenerator<JsonLine> {
  let number = 0;
  for await (const line of lines) {
    number += 1;
    yield { number, text: Buffer.byteLength(line) > MAX_LINE_BYTES ? undefined : line };
  }
}

function passedOver(source: FiledSource, skipped: readonly Skipped[]): Finding {
  const skip = skipped.find(({ origin }) => origin === source.origin);
  if (skip?.problem === true)
    return aboutFiled(source, 'not_checked', { detail: skip.detail ?? skip.reason });
  return aboutFiled(source, 'stale', { detail: skip?.reason ?? 'its transcript holds another session now' });
}
