import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { SourceKind } from '../../core/contract.js';
import { areTurnsOf, type TurnMark } from '../../core/turns.js';
import { type DrawerDraft, type DrawerMarks, floatsOf, type TextPiece } from '../../store/index.js';
import type { DrawerLine, SourceLine } from './archive-lines.js';

/** A line of the right shape, but with wrong content. */
export class LineError extends Error {}

export interface IncomingVector {
  hash: Buffer;
  embedding: Float32Array;
}

export interface IncomingChecks {
  /**
   * Number of redactions per kind under the current rules.
   *
   * @param whole given when the text is the whole text of a source; in a conversation injected text counts, too
   */
  findSecrets: (
    text: string,
    whole?: { kind: SourceKind; turns: readonly TurnMark[] | undefined },
  ) => Promise<Record<string, number>>;
  /** The hash under which a text's vector is stored. */
  keyOf: (text: string) => Buffer;
}

/** A source of an export, collected line by line. */
export class IncomingSource {
  readonly pieces: TextPiece[] = [];
  readonly drafts: DrawerDraft[] = [];
  readonly marks: DrawerMarks[] = [];
  readonly turns: TurnMark[] | undefined;
  readonly #line: SourceLine;
  readonly #checks: IncomingChecks;
  readonly #secrets = new Set<string>();
  #foreignVectors = 0;

  constructor(line: SourceLine, checks: IncomingChecks) {
    this.#line = line;
    const gone = new Set(line.gone_turns);
    this.turns = line.turns?.map(([role, start], index) => {
      const message = line.messages[line.turn_messages?.[index] ?? -1];
      return {
        ...{ role, start },
        ...(message === undefined ? {} : { message }),
        ...(gone.has(index) ? { gone: true } : {}),
      };
    });
    this.#checks = checks;
  }

  addText(text: string): void {
    const bytes = Buffer.from(text, 'utf8');
    this.pieces.push({ hash: createHash('sha256').update(bytes).digest(), body: deflateRawSync(bytes) });
  }

  /**
   * @param dimension of the palace's vectors
   * @returns the drawer's vector; undefined when it has none yet, or when its hash belongs to another text, for which it
   *   would be reused
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
    const { text, context, role, drawer_id, added_by, set_priority, pinned } = line;
    const at = {
      start: line.char_start,
      end: line.char_end,
      lineStart: line.line_start,
      lineEnd: line.line_end,
    };
    // Without the vector as text: a source may have 100,000 drawers.
    this.drafts.push({ text, ...at, context, contentDate: line.content_date, role, vectorHash: hash });
    this.marks.push({ drawerId: drawer_id, addedBy: added_by, setPriority: set_priority, pinned });
    return embedding && { hash, embedding };
  }

  /**
   * Why the source cannot be filed; undefined when it is complete and clean. To be called after its last line.
   *
   * @param pieces and `drawers` their numbers according to the export
   */
  async trouble(pieces: number, drawers: number): Promise<{ reason: string; detail: string } | undefined> {
    const incomplete = (detail: string) => ({ reason: 'incomplete', detail });
    const { kind, title, directory } = this.#line;
    const { turns } = this;
    const text = this.pieces.map(({ body }) => inflateRawSync(body).toString('utf8')).join('');
    await this.#check(title ?? '');
    await this.#check(directory ?? '');
    await this.#check(text, { kind, turns });
    if (turns !== undefined && !areTurnsOf(text, turns))
      return incomplete('its turns are not those of its text');
    if (this.#foreignVectors > 0)
      return incomplete(`${this.#foreignVectors} of its drawers have the vectors of other texts`);
    if (this.pieces.length !== pieces || this.drafts.length !== drawers)
      return incomplete('lines of it are missing or could not be read');
    if (this.#secrets.size > 0) {
      const kinds = [...this.#secrets].sort().join(', ');
      return { reason: 'held back', detail: `it contains what is redacted today: ${kinds}` };
    }
    // The whole text was checked for secrets; so every drawer must be part of it.
    const strange = this.drafts.filter((draft) => text.slice(draft.start, draft.end) !== draft.text).length;
    return strange === 0 ? undefined : incomplete(`${strange} of its drawers are not part of its text`);
  }

  async #check(text: string, whole?: Parameters<IncomingChecks['findSecrets']>[1]): Promise<void> {
    for (const kind of Object.keys(await this.#checks.findSecrets(text, whole))) this.#secrets.add(kind);
  }
}

/** @throws LineError */
function vectorOf(line: DrawerLine, dimension: number): Float32Array | undefined {
  if (line.vector === '') return undefined;
  const bytes = Buffer.from(line.vector, 'base64');
  if (bytes.byteLength !== dimension * 4)
    throw new LineError(`vector: ${bytes.byteLength / 4} numbers instead of ${dimension}`);
  const vector = floatsOf(bytes);
  if (Math.abs(Math.hypot(...vector) - 1) < 1e-3) return vector;
  throw new LineError('vector: not of unit length');
}
