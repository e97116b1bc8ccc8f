import { Readable } from 'node:stream';
import { z } from 'zod';
import { HARNESSES } from '../../src/feeders/transcripts/harnesses/index.js';
import { readHead } from '../../src/feeders/transcripts/head.js';
import type { TranscriptOptions, WorkItem } from '../../src/feeders/transcripts/options.js';
import { transcriptOf } from '../../src/feeders/transcripts/stage.js';
import { surveyTranscripts } from '../../src/feeders/transcripts/survey.js';
import { conversationSegments } from '../../src/miner/read/conversation.js';
import { numbered } from '../../src/platform/jsonl.js';
import { createSanitiser } from '../../src/sanitiser/index.js';
import { temporaryFolder } from './palace.js';

/** The options of a feeder of transcripts for these files, without staged files and with an empty palace. */
export async function transcriptOptions(files?: readonly string[]): Promise<TranscriptOptions> {
  return {
    places: [],
    files,
    minMessages: 0,
    filed: { get: () => undefined, messagesOf: () => [], messagesOfAll: () => [] },
    sanitiser: await createSanitiser({ redact: true }),
    cache: temporaryFolder(),
    force: false,
    command: 'a test',
    waitMs: 0,
  };
}

/** A transcript as it would be staged: its parts, and as mined its text and what belongs to it. */
async function stagedTranscript(item: WorkItem, { sanitiser }: TranscriptOptions) {
  const { lines, head, counts } = await transcriptOf(item, sanitiser.scope());
  const staged: string[] = [];
  for await (const line of lines) staged.push(line);
  let text = '';
  const contexts = new Set<string>();
  const dates = new Set<string | null>();
  const messages: string[] = [];
  for await (const segment of conversationSegments({ path: numbered(Readable.from(staged)) })) {
    text += segment.text;
    messages.push(...segment.messages);
    for (const { context, contentDate } of segment.chunks) {
      contexts.add(context);
      dates.add(contentDate);
    }
  }
  return {
    item,
    head,
    text,
    messages,
    blocks: staged.flatMap(blocksOf),
    problems: counts.malformed,
    contexts: [...contexts],
    dates: [...dates],
  };
}

/** Every conversation of these files or folders as it would be staged, by source key, and what is not one. */
async function conversationsOf(changes: Partial<TranscriptOptions>) {
  const options = { ...(await transcriptOptions()), ...changes };
  const { items, skipped, contained } = await surveyTranscripts(options);
  const conversations = new Map<string, Awaited<ReturnType<typeof stagedTranscript>>>();
  for (const item of items)
    conversations.set(item.conversation.sourceKey, await stagedTranscript(item, options));
  return { conversations, skipped, contained };
}

export const readFolder = (folder: string, minMessages = 0) =>
  conversationsOf({ places: [{ folder }], minMessages });

export async function readTranscripts(...files: string[]) {
  const { conversations: found, skipped } = await conversationsOf({ files });
  return { found, skipped };
}

/** The only conversation of a file. */
export async function readTranscript(path: string) {
  const { found, skipped } = await readTranscripts(path);
  const [transcript] = found.values();
  if (transcript === undefined) throw new Error(`no transcript: ${JSON.stringify(skipped)}`);
  return transcript;
}

/** The filed form of a folder's transcripts, of three messages or more by default. */
export async function transcriptsBelow(folder: string, more: Partial<TranscriptOptions> = {}) {
  const found = await conversationsOf({ places: [{ folder }], minMessages: 3, ...more });
  const filed = Array.from(found.conversations, ([key, { item, text }]) => ({
    key,
    title: item.title,
    text,
  }));
  return { ...found, filed, all: filed.map(({ text }) => text).join('\n\f\n') };
}

/** A part of a staged line; a summary is one. */
interface StagedBlock {
  role: string;
  /** Whether it was written by the user, or is the task of an agent. */
  spoken: boolean;
  type: string;
  text: string;
}

const staged = z.looseObject({
  type: z.string(),
  isMeta: z.boolean().default(false),
  summary: z.string().optional(),
  message: z.object({ content: z.array(z.looseObject({ type: z.string() })) }).optional(),
});

function blocksOf(line: string): StagedBlock[] {
  const { type: role, isMeta, summary, message } = staged.parse(JSON.parse(line));
  if (summary !== undefined) return [{ role, spoken: false, type: 'summary', text: summary }];
  return (message?.content ?? []).map(({ type, text, content, input, is_error: error }) => ({
    role,
    spoken: role === 'user' && !isMeta,
    type: error === true ? 'error' : type,
    text: String(text ?? content ?? JSON.stringify(input)),
  }));
}

/** The harness of a file, and the description of the session at its beginning. */
export async function identityOf(path: string) {
  const head = await readHead(path);
  const harness = HARNESSES.find((each) => each.recognises(head));
  const [identity] = (await harness?.identify(head)) ?? [];
  return harness === undefined || identity === undefined ? undefined : { by: harness.name, ...identity };
}

export function harnessNamed(name: string) {
  const harness = HARNESSES.find((each) => each.name === name);
  if (harness === undefined) throw new Error(`no harness ${name}`);
  return harness;
}

/** Number of occurrences of one text in another. */
export function timesIn(text: string, part: string): number {
  return text.split(part).length - 1;
}
