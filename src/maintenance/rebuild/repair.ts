import { messageOf, UserError } from '../../core/errors.js';
import type { Embedder } from '../../embedding/index.js';
import { breather } from '../../platform/breather.js';
import type { Palace, Problem } from '../../store/index.js';
import { type Comparison, replaceForeignVectors, restoreVectors } from './vectors.js';

type RepairStep =
  | 'looking'
  | 'rebuilding indexes'
  | 'embedding'
  | 'comparing vectors'
  | 'compacting'
  | 'looking again';

export interface RepairOptions {
  palace: Palace;
  /** Starts the embedder of the palace's model; called when a vector is missing. */
  embedder: () => Promise<Embedder>;
  /** Called before the first change, when it is known that rebuilding can cure what is wrong. */
  beforeChange?: (() => unknown) | undefined;
  /** Whether there is room to rewrite the palace. */
  compact: boolean;
  signal?: AbortSignal | undefined;
  onStep?: ((step: RepairStep, done: number, total: number) => void) | undefined;
}

export interface RepairResult {
  /** What was wrong, and what still is. */
  problems: string[];
  left: string[];
  reindexed: boolean;
  /** Drawers without a vector, and those that have one again. */
  vectorsLost: number;
  vectorsRestored: number;
  /** Vectors that another model had made are replaced; undefined where none were compared. */
  vectorsReplaced: Comparison | undefined;
  /** Why some have none, or why none were compared; undefined when all have one and were. */
  withoutModel: UserError | undefined;
}

const MISMATCH = 'the lexical index does not contain the words of the drawers';

/**
 * Rebuilds whatever follows from the rows: indexes, codes, and vectors that are gone. Each step is one transaction,
 * or many that each leave the palace better: a kill at any moment loses nothing. The palace must be locked against
 * other runs. Rows are never changed but to point at a vector.
 *
 * @throws UserError `palace-damaged`, with nothing changed, when rows themselves are damaged; the signal's reason
 */
export async function repair(options: RepairOptions): Promise<RepairResult> {
  const { palace, signal, onStep } = options;
  const breathe = breather(0);
  const pause = async (): Promise<void> => {
    await breathe();
    signal?.throwIfAborted();
  };
  onStep?.('looking', 0, 0);
  await pause();
  const found = await look(palace, pause);
  refuseDamagedRows(found);
  await pause();
  options.beforeChange?.();
  await pause();
  onStep?.('rebuilding indexes', 0, 0);
  const reindexed = found.some(({ kind }) => kind === 'index');
  await rebuild(palace, reindexed, options.compact, pause);
  await pause();
  const vectorsLost = palace.lostVectors.count();
  let vectorsRestored = 0;
  let vectorsReplaced: Comparison | undefined;
  let loaded: Promise<Embedder> | undefined;
  const embedder = () => {
    loaded ??= options.embedder();
    return loaded;
  };
  let withoutModel: UserError | undefined;
  try {
    vectorsRestored = await restoreVectors({
      palace,
      embedder,
      signal,
      onProgress: (done, total) => onStep?.('embedding', done, total),
    });
    if (palace.vectorSamples.hadAnotherModel)
      vectorsReplaced = await replaceForeignVectors({
        palace,
        embedder: await embedder(),
        signal,
        onProgress: (done, total) => onStep?.('comparing vectors', done, total),
      });
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof UserError) || error.code === 'interrupted') throw error;
    withoutModel = error;
  }
  onStep?.('compacting', 0, 0);
  await pause();
  if (vectorsLost === vectorsRestored) palace.lostVectors.sweep();
  palace.vectors.codes.rebuild();
  palace.vectors.releaseUnused();
  await pause();
  if (options.compact) palace.compact();
  palace.tidy();
  onStep?.('looking again', 0, 0);
  await pause();
  const left = (await look(palace, pause)).map(({ text }) => text);
  const problems = found.map(({ text }) => text);
  return { problems, left, reindexed, vectorsLost, vectorsRestored, vectorsReplaced, withoutModel };
}

/** Everything that a check of the whole palace finds, and whether the lexical index holds what the drawers hold. */
async function look(palace: Palace, pause: () => Promise<void>): Promise<Problem[]> {
  const { problems } = palace.check({ full: true });
  await pause();
  if (problems.some(({ kind }) => kind === 'rows' || kind === 'lexical')) return problems;
  return palace.lexical.matchesRows() ? problems : [...problems, { kind: 'lexical', text: MISMATCH }];
}

/** @throws UserError `palace-damaged` when some of the problems are of rows */
export function refuseDamagedRows(problems: readonly Problem[]): void {
  const rows = problems.filter(({ kind }) => kind === 'rows').map(({ text }) => text);
  if (rows.length === 0) return;
  const more = rows.length > 3 ? `, and ${rows.length - 3} more` : '';
  throw new UserError(
    'palace-damaged',
    `rows of the palace are damaged, which no rebuilding cures: ${rows.slice(0, 3).join('; ')}${more}`,
    { hint: RESTORE },
  );
}

const RESTORE =
  'mempalace restore --last brings the last backup back; without one, move the palace away and run the feeders again';

/** Where an old index cannot be read to its end, it cannot be emptied either: it is left behind, and then thrown away. */
async function rebuild(
  palace: Palace,
  reindex: boolean,
  mayCompact: boolean,
  pause: () => Promise<void>,
): Promise<void> {
  try {
    if (reindex) palace.reindex();
    await pause();
    palace.lexical.rebuild();
    await pause();
    palace.vectors.codes.rebuild();
  } catch (error) {
    if (!(error instanceof UserError) || error.code !== 'palace-damaged') throw error;
    if (!mayCompact) {
      throw new UserError('failed', `an index is too damaged to be rebuilt in place: ${messageOf(error)}`, {
        hint: 'make room on the disk for the palace to be rewritten, then run mempalace repair again',
        cause: error,
      });
    }
    try {
      palace.replaceIndexes();
      palace.compact();
    } catch (still) {
      if (!(still instanceof UserError) || still.code !== 'palace-damaged') throw still;
      throw new UserError('palace-damaged', `indexes cannot be rebuilt: ${messageOf(still)}`, {
        hint: RESTORE,
        cause: still,
      });
    }
  }
}
