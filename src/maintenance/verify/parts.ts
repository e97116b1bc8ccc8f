import type { Part } from '../../core/parts.js';
import type { Block } from '../../feeders/session/blocks.js';
import { type Message, Notes, readMessages } from '../../feeders/session/messages.js';
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

/** Longer texts are not held to be looked through, in UTF-16 units. */
const LONGEST = 64 * 1024 * 1024;

/**
 * Which parts of a session its filed transcript does not hold, after redaction, in their order.
 *
 * @returns undefined when the transcript is too long to be looked through
 */
export async function missingParts(
  item: WorkItem,
  palace: Palace,
  filed: FiledSource,
  { head, sanitiser }: { head: SessionHead; sanitiser: Sanitiser },
): Promise<MissingPart[] | undefined> {
  const filedText = new Stretches();
  for (const piece of palace.archive.texts(filed.id)) if (!filedText.add(piece)) return undefined;
  const place = new Place(filedText.join());
  const missing: MissingPart[] = [];
  const { row, history } = item.session;
  for (const message of ownMessages(item.decision, readMessages(history, row, new Notes()))) {
    for (const block of message.blocks) {
      const texts = await textsOf(message, block, head, sanitiser);
      if (texts.every((text) => place.passes(text))) continue;
      missing.push({ message: message.id, part: block.partId ?? null, kind: block.kind });
    }
  }
  return missing;
}

class Stretches {
  readonly #pieces: string[] = [];
  #length = 0;

  /** False when it has become too long. */
  add(piece: string): boolean {
    this.#length += piece.length;
    this.#pieces.push(piece);
    return this.#length <= LONGEST;
  }

  join(): string {
    return this.#pieces.join('');
  }
}

/** Where in a text the last part was found: the next one stands behind it. */
class Place {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Each text of a transcript stands on lines of its own, with an empty line behind it. */
  passes(text: string): boolean {
    if (text.trim() === '') return true;
    const written = `\n${wellFormed(text)}\n\n`;
    // The last line break of what stands before is part of the next.
    const found = this.#text.indexOf(written, Math.max(0, this.#at - 1));
    if (found < 0) return false;
    this.#at = found + written.length;
    return true;
  }
}

/** What a transcript of nothing but this part says behind its header: the transcriber alone knows what becomes of it. */
async function textsOf(
  message: Message,
  block: Block,
  head: SessionHead,
  sanitiser: Sanitiser,
): Promise<string[]> {
  const counts: TranscriptCounts = { redacted: {}, lines: 0, blocks: 0 };
  const only = [{ ...message, blocks: [block] }];
  const texts: string[] = [];
  let header = true;
  for await (const line of transcribe(head, only, new Cleaner(sanitiser, counts.redacted), counts)) {
    const read = readRecord(line);
    if (!header && read.kind === 'turn') texts.push(...read.parts.map(writtenAs));
    header = false;
  }
  return texts;
}

function writtenAs(part: Part): string {
  return part.kind === 'call' ? renderCall(part.name, part.input) : part.text;
}
