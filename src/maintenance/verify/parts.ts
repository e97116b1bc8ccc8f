import type { Block } from '../../feeders/session/blocks.js';
import { type Message, Notes } from '../../feeders/session/messages.js';
import type { WorkItem } from '../../feeders/session/options.js';
import { type SessionHead, type TranscriptCounts, transcribe } from '../../feeders/session/transcribe.js';
import { ownMessages } from '../../feeders/session/transcript-of.js';
import { Cleaner } from '../../feeders/staging/cleaner.js';
import { readRecord } from '../../miner/read/records.js';
import { renderCall } from '../../miner/read/render.js';
import { wellFormed } from '../../miner/read/transcript-text.js';
import type { Sanitiser } from '../../sanitiser/index.js';
import type { FiledSource, Palace } from '../../store/index.js';
import type { MissingPart } from './finding.js';

/** UTF-16 units. Longer texts are not loaded into memory. */
const LONGEST = 64 * 1024 * 1024;

/**
 * Parts of a session that its filed transcript does not contain, after redaction, in order.
 *
 * @returns undefined when the transcript is too long to be searched
 */
export async function missingParts(
  item: WorkItem,
  palace: Palace,
  filed: FiledSource,
  { head, sanitiser }: { head: SessionHead; sanitiser: Sanitiser },
): Promise<MissingPart[] | undefined> {
  const pieces: string[] = [];
  let length = 0;
  for (const piece of palace.sources.texts(filed.id)) {
    length += piece.length;
    if (length > LONGEST) return undefined;
    pieces.push(piece);
  }
  const isNext = inOrder(pieces.join(''));
  const missing: MissingPart[] = [];
  for (const message of ownMessages(item, new Notes())) {
    for (const block of message.blocks) {
      const texts = await textsOf(message, block, head, sanitiser);
      if (texts.every(isNext)) continue;
      missing.push({ message: message.id, part: block.partId ?? null, kind: block.kind });
    }
  }
  return missing;
}

/** Whether each text occurs in a transcript after the text that was found last. */
function inOrder(transcript: string): (text: string) => boolean {
  let at = 0;
  return (text) => {
    if (text.trim() === '') return true;
    // Each text is followed by an empty line.
    const written = `\n${wellFormed(text)}\n\n`;
    // The last line break of the previous text is also the first of this one.
    const found = transcript.indexOf(written, Math.max(0, at - 1));
    if (found >= 0) at = found + written.length;
    return found >= 0;
  };
}

async function textsOf(
  message: Message,
  block: Block,
  head: SessionHead,
  sanitiser: Sanitiser,
): Promise<string[]> {
  const counts: TranscriptCounts = { lines: 0, blocks: 0 };
  const only = [{ ...message, blocks: [block] }];
  const texts: string[] = [];
  let header = true;
  for await (const line of transcribe(head, only, new Cleaner(sanitiser), counts)) {
    const read = readRecord(line);
    if (!header && read.kind === 'turn')
      for (const part of read.parts)
        texts.push(part.kind === 'call' ? renderCall(part.name, part.input) : part.text);
    header = false;
  }
  return texts;
}
