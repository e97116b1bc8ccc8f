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

/** The mined form of a transcript as it would be staged. */
async function minedText(item: WorkItem) {
  const sanitiser = await createSanitiser({ redact: true });
  const { lines, head, counts } = await transcriptOf(item, sanitiser.scope());
  let text = '';
  const contexts = new Set<string>();
  const dates = new Set<string | null>();
  const messages: string[] = [];
  for await (const segment of conversationSegments({ path: numbered(lines) })) {
    text += segment.text;
    messages.push(...segment.messages);
    for (const { context, contentDate } of segment.chunks) {
      contexts.add(context);
      dates.add(contentDate);
    }
  }
  return {
    text,
    head,
    problems: counts.malformed,
    contexts: [...contexts],
    dates: [...dates],
    messages,
  };
}

/** Every conversation below a folder as it would be staged, by source key, and the skipped files. */
export async function readFolder(folder: string, minMessages = 0) {
  const options = await transcriptOptions([]);
  const survey = await surveyTranscripts({ ...options, places: [{ folder }], files: undefined, minMessages });
  const conversations = new Map<string, Awaited<ReturnType<typeof minedText>> & { blocks: StagedBlock[] }>();
  for (const item of survey.items) {
    const blocks: StagedBlock[] = [];
    const { lines } = await transcriptOf(item, options.sanitiser.scope());
    for await (const line of lines) blocks.push(...blocksOf(line));
    conversations.set(item.conversation.sourceKey, { ...(await minedText(item)), blocks });
  }
  return { conversations, skipped: survey.skipped };
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

/** The only conversation of a file. */
export async function readTranscript(path: string) {
  const survey = await surveyTranscripts(await transcriptOptions([path]));
  const [item] = survey.items;
  if (item === undefined) throw new Error(`no transcript: ${JSON.stringify(survey.skipped)}`);
  return { ...(await minedText(item)), item };
}

/** The harness of a file, and the description of the session at its beginning. */
export async function identityOf(path: string) {
  const head = await readHead(path);
  const harness = HARNESSES.find((each) => each.recognises(head));
  const [identity] = (await harness?.identify(head)) ?? [];
  return harness === undefined || identity === undefined ? undefined : { by: harness.name, ...identity };
}

/** Every conversation of these files as mined, by source key, and the skipped files. */
export async function readTranscripts(...paths: string[]) {
  const survey = await surveyTranscripts(await transcriptOptions(paths));
  const found = new Map<string, Awaited<ReturnType<typeof minedText>>>();
  for (const item of survey.items) found.set(item.conversation.sourceKey, await minedText(item));
  return { found, skipped: survey.skipped };
}
