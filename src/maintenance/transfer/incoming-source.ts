import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { SourceKind } from '../../core/contract.js';
import { areTurnsOf, type TurnMark } from '../../core/turns.js';
import { type DrawerDraft, type DrawerMarks, floatsOf, type TextPiece } from '../../store/index.js';
import type { DrawerLine, SourceLine } from './archive-lines.js';

/** What is wrong with a line that has the right shape. */
export class LineError extends Error {}

/** A vector with the hash of the text that it is of. */
export interface IncomingVector {
  hash: Buffer;
  embedding: Float32Array;
}

/** Why a source is not filed. */
interface Trouble {
  reason: 'incomplete' | 'held back';
  detail: string;
}

export interface IncomingChecks {
  /**
   * What of a text today's rules would redact, kind → number; nothing where it is clean.
   *
   * @param whole what it is the whole text of; of a conversation injected text counts, too
   */
  findSecrets: (
    text: string,
    whole?: { kind: SourceKind; turns: readonly TurnMark[] | undefined },
  ) => Promise<Record<string, number>>;
  /** The hash that a text's vector is kept under. */
  keyOf: (text: string) => Buffer;
}

/** A source of an export, gathered line by line until it is whole. */
export class IncomingSource {
  readonly line: SourceLine;
  readonly pieces: TextPiece[] = [];
  readonly drafts: DrawerDraft[] = [];
  readonly marks: DrawerMarks[] = [];
  readonly turns: TurnMark[] | undefined;
  readonly #checks: IncomingChecks;
  readonly #secrets = new Set<string>();
  #foreignVectors = 0;

  constructor(line: SourceLine, checks: IncomingChecks) {
    this.line = line;
    this.turns = line.turns?.map(([role, start]) => ({ role, start }));
    this.#checks = checks;
  }

  addText(text: string): void {
    const bytes = Buffer.from(text, 'utf8');
    this.pieces.push({ hash: createHash('sha256').update(bytes).digest(), body: deflateRawSync(bytes) });
  }

  /**
   * @param dimension of the palace's vectors
   * @returns the drawer's vector, to be kept; undefined when it is said to be another text's: it would be found for
   *   that text ever after
   * @throws LineError
   */
  async addDrawer(line: DrawerLine, dimension: number): Promise<IncomingVector | undefined> {
    const hash = Buffer.from(line.vector_hash, 'hex');
    const embedding = vectorOf(line, dimension);
    await this.#check(`${line.text}\n${line.context}`);
    if (!this.#checks.keyOf(line.text).equals(hash)) {
      this.#foreignVectors += 1;
      return undefined;
    }
    this.drafts.push({
      text: line.text,
      vectorHash: hash,
      start: line.char_start,
      end: line.char_end,
      lineStart: line.line_start,
      lineEnd: line.line_end,
      context: line.context,
      contentDate: line.content_date,
      role: line.role,
    });
    this.marks.push({
      drawerId: line.drawer_id,
      addedBy: line.added_by,
      setPriority: line.set_priority,
      pinned: line.pinned,
    });
    return { hash, embedding };
  }

  /** Why it cannot be filed; undefined when it is whole and clean. To be asked when its last line has come. */
  async trouble(pieces: number, drawers: number): Promise<Trouble | undefined> {
    await this.#check(this.line.title ?? '');
    await this.#check(this.line.directory ?? '');
    const text = this.pieces.map(({ body }) => inflateRawSync(body).toString('utf8')).join('');
    const { turns } = this;
    await this.#check(text, { kind: this.line.kind, turns });
    if (turns !== undefined && !areTurnsOf(text, turns))
      return incomplete('its turns are not those of its text');
    if (this.#foreignVectors > 0)
      return incomplete(`vectors of other texts stand beside ${this.#foreignVectors} of its drawers`);
    if (this.pieces.length !== pieces || this.drafts.length !== drawers)
      return incomplete('lines of it are missing or could not be read');
    if (this.#secrets.size > 0) {
      const kinds = [...this.#secrets].sort().join(', ');
      return { reason: 'held back', detail: `it holds what is redacted today: ${kinds}` };
    }
    // What is looked at whole is what is filed: a drawer with words of its own would pass as part of it.
    const strange = this.drafts.filter((draft) => text.slice(draft.start, draft.end) !== draft.text).length;
    return strange === 0 ? undefined : incomplete(`${strange} of its drawers are no part of its text`);
  }

  async #check(text: string, whole?: Parameters<IncomingChecks['findSecrets']>[1]): Promise<void> {
    for (const kind of Object.keys(await this.#checks.findSecrets(text, whole))) this.#secrets.add(kind);
  }
}

const incomplete = (detail: string): Trouble => ({ reason: 'incomplete', detail });

/** @throws LineError */
function vectorOf(line: DrawerLine, dimension: number): Float32Array {
  const bytes = Buffer.from(line.vector, 'base64');
  if (bytes.byteLength !== dimension * 4)
    throw new LineError(`vector: ${bytes.byteLength / 4} numbers instead of ${dimension}`);
  const vector = floatsOf(bytes);
  const square = vector.reduce((sum, value) => sum + value * value, 0);
  if (Math.abs(Math.sqrt(square) - 1) < 1e-3) return vector;
  throw new LineError('vector: not of unit length');
}
