import { HARNESSES } from '../../src/feeders/transcripts/harnesses/index.js';
import type { TranscriptOptions } from '../../src/feeders/transcripts/options.js';
import { transcriptOf } from '../../src/feeders/transcripts/stage.js';
import { surveyTranscripts } from '../../src/feeders/transcripts/survey.js';
import { conversationSegments } from '../../src/miner/read/conversation.js';
import { numbered } from '../../src/platform/jsonl.js';
import { transcriptOptions } from './staged-transcripts.js';

interface FiledTranscript {
  key: string;
  title: string | undefined;
  text: string;
}

/** The filed form of a folder's transcripts in an empty palace, and the skipped files. */
export async function transcriptsBelow(folder: string, more: Partial<TranscriptOptions> = {}) {
  const options = await transcriptOptions();
  const survey = await surveyTranscripts({ ...options, places: [{ folder }], minMessages: 3, ...more });
  const filed: FiledTranscript[] = [];
  for (const item of survey.items) {
    const { lines } = await transcriptOf(item, options.sanitiser.scope());
    let text = '';
    for await (const segment of conversationSegments({ path: numbered(lines) })) text += segment.text;
    filed.push({ key: item.conversation.sourceKey, title: item.title, text });
  }
  return {
    filed,
    skipped: survey.skipped,
    contained: survey.contained,
    all: filed.map(({ text }) => text).join('\n\f\n'),
  };
}

/** Number of occurrences of one text in another. */
export function timesIn(text: string, part: string): number {
  return text.split(part).length - 1;
}

export function harnessNamed(name: string) {
  const harness = HARNESSES.find((each) => each.name === name);
  if (harness === undefined) throw new Error(`no harness ${name}`);
  return harness;
}
