import { isDeepStrictEqual } from 'node:util';
import type { StagedSource } from '../core/contract.js';
import { UserError } from '../core/errors.js';
import { fileWritten } from '../miner/file-written.js';
import { writtenScope } from '../miner/written.js';
import type { FiledSource } from '../store/index.js';
import type { Call } from './tool.js';
import { type Draft, settle, stageDraft } from './written.js';

/** What became of a draft. */
export interface FiledDraft {
  sourceKey: string;
  /** It had been filed before: nothing was written now. */
  already: boolean;
  /** Its owner had it forgotten: it is not filed. */
  forgotten: boolean;
  /** By kind. */
  redacted: Record<string, number>;
}

/** Another server may write between what was concluded and what is done: the conclusion is repeated this many times. */
const ATTEMPTS = 5;

/**
 * Files drafts in one short write beside any run. What is filed already costs nothing.
 *
 * @throws UserError `usage` for a name that is no wing or room, before anything is filed
 */
export async function fileDrafts(
  drafts: readonly Draft[],
  addedBy: string | undefined,
  call: Call,
): Promise<FiledDraft[]> {
  const words = drafts.map(({ content, room, sourceFile }) => ({ text: content, room, sourceFile }));
  const scope = await writtenScope(words, await call.host.sanitiser());
  const staged: StagedSource[] = [];
  for (const draft of drafts) staged.push(await stageDraft(draft, scope));
  return call.write(async (palace, run) => {
    const missing = () => {
      const sources = staged.map((each) => settle(palace, each)).filter(({ filed }) => filed === undefined);
      return new Map(sources.map(({ source }) => [source.sourceKey, source]));
    };
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const settled = staged.map((each) => settle(palace, each));
      const sources = missing();
      const done =
        sources.size === 0
          ? { forgotten: [] }
          : await fileWritten({
              palace,
              sources: [...sources.values()],
              run,
              addedBy: addedBy ?? call.agent,
              embedder: () => call.model.wait(palace.model, call.signal),
              // Keys contain what their sources are made of.
              unless: () => !isDeepStrictEqual([...missing().keys()], [...sources.keys()]),
              signal: call.signal,
            });
      if (done === undefined) continue;
      const forgotten = new Set(done.forgotten.map(({ origin }) => origin));
      return settled.map(({ source: { sourceKey, origin, redacted = {} }, filed }) => ({
        sourceKey,
        already: filed !== undefined,
        forgotten: forgotten.has(origin),
        redacted,
      }));
    }
    throw new UserError('locked', 'other writers keep changing the same texts; try again');
  });
}

/**
 * Gives a drawer that was filed so another text or place, in one short write beside any run.
 *
 * @param before what it was made from
 * @returns false when that is not filed any more: nothing was done
 * @throws UserError `failed` when its owner had it forgotten
 */
export async function refileDrawer(source: StagedSource, before: FiledSource, call: Call): Promise<boolean> {
  const done = await call.write((palace, run) =>
    fileWritten({
      palace,
      sources: [source],
      run,
      addedBy: call.agent,
      embedder: () => call.model.wait(palace.model, call.signal),
      unless() {
        const now = palace.sources.byKey(source.sourceKey);
        return now?.hash !== before.hash || now.wing !== before.wing || now.room !== before.room;
      },
      signal: call.signal,
    }),
  );
  if (done === undefined) return false;
  if (done.forgotten.length > 0) throw forgottenError();
  if (done.drawersRemoved > 0) await call.host.clearTraces(call.signal);
  return true;
}

/**
 * Deletes what was filed so, in one short write beside any run.
 *
 * @returns drawers that left; 0 when it was gone
 */
export async function deleteWritten(sourceKey: string, call: Call): Promise<number> {
  const left = await call.write(async (palace, run) => {
    const removed = palace.transaction(() => {
      const source = palace.sources.byKey(sourceKey);
      const drawers = source === undefined ? 0 : palace.removeAll([source]);
      if (source !== undefined)
        palace.runs.add(run, { exitCode: 0, counts: { removed: 1, drawers_removed: drawers }, skipped: [] });
      return drawers;
    });
    palace.emptyLog();
    return removed;
  });
  if (left > 0) await call.host.clearTraces(call.signal);
  return left;
}

/** What stays unfiled since its owner had it forgotten. */
export function forgottenError(): UserError {
  return new UserError('failed', 'not filed: forgotten', {
    hint: 'its owner asked to forget it; mempalace forget --allow-again undoes that',
  });
}
