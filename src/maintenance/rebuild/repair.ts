import { messageOf, UserError } from '../../core/errors.js';
import type { Embedder } from '../../embedding/index.js';
import { deriveActivity } from '../../miner/derive-activity.js';
import { renewWords } from '../../miner/renew-words.js';
import { breather } from '../../platform/breather.js';
import type { Palace, Problem } from '../../store/index.js';
import { type Comparison, replaceForeignVectors, restoreVectors } from './vectors.js';

type RepairStep =
  | 'looking'
  | 'rebuilding indexes'
  | 'renewing words'
  | 'embedding'
  | 'comparing vectors'
  | 'compacting'
  | 'looking again';

export interface RepairOptions {
  palace: Palace;
  /** The embedder of the palace's model, started by the first call; called only when a vector is needed. */
  embedder: () => Promise<Embedder>;
  /** Called before the first change; not called when rows are damaged. */
  beforeChange?: (() => unknown) | undefined;
  /** Rewrite the palace file; needs disk space. */
  compact: boolean;
  signal?: AbortSignal | undefined;
  onStep?: ((step: RepairStep, done: number, total: number) => void) | undefined;
}

export interface RepairResult {
  problems: string[];
  left: string[];
  reindexed: boolean;
  vectorsLost: number;
  vectorsRestored: number;
  /** Vectors of another model, which were replaced; undefined when vectors were not compared. */
  vectorsReplaced: Comparison | undefined;
  withoutModel: UserError | undefined;
}

const MISMATCH = 'the lexical index does not contain the words of the drawers';

/**
 * Rebuilds everything that is derived from rows: indexes, codes, and missing vectors. A kill at any moment loses nothing.
 * To be called under the run lock. Rows are not changed, except for their reference to a vector.
 *
 * @throws UserError `palace-damaged`, with nothing changed, when rows are damaged; the signal's reason
 */
export async function repair(options: RepairOptions): Promise<RepairResult> {
  const { palace, embedder, signal, onStep } = options;
  const breathe = breather(0);
  const pause = async (): Promise<void> => {
    await breathe();
    signal?.throwIfAborted();
  };
  const begin = (step: RepairStep): Promise<void> => {
    onStep?.(step, 0, 0);
    return pause();
  };
  await begin('looking');
  const found = await look(palace, pause);
  refuseDamagedRows(found);
  await pause();
  options.beforeChange?.();
  await begin('rebuilding indexes');
  const reindexed = found.some(({ kind }) => kind === 'index');
  await rebuild(palace, reindexed, options.compact, pause);
  palace.activity.clearAll();
  await deriveActivity({ palace, signal });
  await renewWords({
    ...{ palace, signal, budgetMs: Number.POSITIVE_INFINITY },
    onProgress: (done, total) => onStep?.('renewing words', done, total),
  });
  await pause();
  const vectorsLost = palace.drawerVectors.countLost();
  let vectorsRestored = 0;
  let vectorsReplaced: Comparison | undefined;
  let withoutModel: UserError | undefined;
  try {
    if (vectorsLost > 0)
      vectorsRestored = await restoreVectors({
        palace,
        embedder: await embedder(),
        signal,
        onProgress: (done, total) => onStep?.('embedding', done, total),
      });
    if (palace.drawerVectors.hadAnotherModel)
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
  await begin('compacting');
  if (vectorsLost === vectorsRestored) palace.drawerVectors.sweep();
  palace.vectors.codes.rebuild();
  palace.vectors.releaseUnused();
  await pause();
  if (options.compact) palace.compact();
  palace.tidy();
  await begin('looking again');
  const left = (await look(palace, pause)).map(({ text }) => text);
  const problems = found.map(({ text }) => text);
  return { problems, left, reindexed, vectorsLost, vectorsRestored, vectorsReplaced, withoutModel };
}

/** A full check, including a comparison of the lexical index with the drawers. */
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
    `rows of the palace are damaged and cannot be rebuilt: ${rows.slice(0, 3).join('; ')}${more}`,
    { hint: RESTORE },
  );
}

const RESTORE =
  'mempalace restore --last brings the last backup back; without one, move the palace away and run the feeders again';

/** An index that cannot be read cannot be emptied either: it is replaced by a new one, and its pages are dropped. */
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
