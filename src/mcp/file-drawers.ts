import { isDeepStrictEqual } from 'node:util';
import type { StagedSource } from '../core/contract.js';
import { UserError } from '../core/errors.js';
import { fileWritten } from '../miner/file-written.js';
import { writtenScope } from '../miner/written.js';
import type { FiledSource } from '../store/index.js';
import type { Call } from './tool.js';
import { type Draft, settle, stageDraft } from './written.js';

/** The result of filing a draft. */
export interface FiledDraft {
  sourceKey: string;
  /** The draft was filed before: nothing was written now. */
  already: boolean;
  /** The user had it forgotten: it is not filed. */
  forgotten: boolean;
  /** Number of redactions by kind. */
  redacted: Record<string, number>;
}

/** Another server may write between the check and the write: both are repeated at most this many times. */
const ATTEMPTS = 5;

/**
 * Files drafts in one short write without the run lock. A draft that is filed already is not embedded again.
 *
 * @throws UserError `usage` for an invalid name of a wing or room, before anything is filed
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
              // Keys are derived from the text and place of their sources.
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
 * Gives a filed draft another text or place, in one short write without the run lock.
 *
 * @param before the stored source from which the new one was made
 * @returns false when that source is no longer stored: nothing was done
 * @throws UserError `failed` when the user had it forgotten
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

/** Deletes a filed draft in one short write without the run lock. @returns drawers removed, 0 when it was gone */
export async function deleteWritten(sourceKey: string, call: Call): Promise<number> {
  const removed = await call.write(async (palace, run) => {
    const drawersRemoved = palace.transaction(() => {
      const source = palace.sources.byKey(sourceKey);
      if (source === undefined) return 0;
      const drawers = palace.removeAll([source]);
      palace.runs.add(run, { exitCode: 0, counts: { removed: 1, drawers_removed: drawers }, skipped: [] });
      return drawers;
    });
    palace.emptyLog();
    return drawersRemoved;
  });
  if (removed > 0) await call.host.clearTraces(call.signal);
  return removed;
}

export function forgottenError(): UserError {
  return new UserError('failed', 'not filed: forgotten', {
    hint: 'its owner asked to forget it; mempalace forget --allow-again undoes that',
  });
}
