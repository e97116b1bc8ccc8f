import type { Block } from '../feeders/session/blocks.js';
import { Notes, readMessages } from '../feeders/session/messages.js';
import type { WorkItem } from '../feeders/session/options.js';
import { ownMessages } from '../feeders/session/transcript-of.js';
import { renderCall } from '../miner/read/render.js';
import { wellFormed } from '../miner/read/transcript-text.js';
import type { Sanitiser } from '../sanitiser/index.js';
import type { FiledSource, Palace } from '../store/index.js';
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
  sanitiser: Sanitiser,
): Promise<MissingPart[] | undefined> {
  const filedText = new Stretches();
  for (const piece of palace.archive.texts(filed.id)) if (!filedText.add(piece)) return undefined;
  const place = new Place(filedText.join());
  const missing: MissingPart[] = [];
  const { row, history } = item.session;
  for (const message of ownMessages(item.decision, readMessages(history, row, new Notes()))) {
    for (const block of message.blocks) {
      const texts = await textsOf(block, sanitiser);
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

async function textsOf(block: Block, sanitiser: Sanitiser): Promise<string[]> {
  if (block.kind === 'text') return [(await sanitiser.clean(block.text)).text];
  const { value } = await sanitiser.cleanValue(block.input);
  const name = (await sanitiser.clean(block.name)).text;
  const output = (await sanitiser.clean(block.output)).text;
  return [renderCall(name, value), output];
}
