import type { StagedSource } from '../core/contract.js';
import { UserError } from '../core/errors.js';
import { type FiledWritten, fileWritten } from '../miner/file-written.js';
import { writtenScope } from '../miner/written.js';
import type { FiledSource, Palace } from '../store/index.js';
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
  let settled: ReturnType<typeof settle>[] = [];
  const done = await write(call, addedBy, (palace) => {
    settled = staged.map((each) => settle(palace, each));
    const missing = settled.filter(({ filed }) => filed === undefined);
    // Two equal drafts have one key.
    return [...new Map(missing.map(({ source }) => [source.sourceKey, source])).values()];
  });
  const forgotten = new Set(done?.forgotten.map(({ origin }) => origin));
  return settled.map(({ source: { sourceKey, origin, redacted = {} }, filed }) => ({
    sourceKey,
    already: filed !== undefined,
    forgotten: forgotten.has(origin),
    redacted,
  }));
}

function write(
  call: Call,
  addedBy: string | undefined,
  sources: (palace: Palace) => StagedSource[] | undefined,
): Promise<FiledWritten | undefined> {
  const { agent, model, signal } = call;
  return call.write((palace, run) =>
    fileWritten({
      palace,
      sources: () => sources(palace),
      run,
      addedBy: addedBy ?? agent,
      embedder: () => model.wait(palace.model, signal),
      signal,
    }),
  );
}

/**
 * Gives a filed draft another text or place, in one short write without the run lock.
 *
 * @param before the stored source from which the new one was made
 * @returns false when that source is no longer stored: nothing was done
 * @throws UserError `failed` when the user had it forgotten
 */
export async function refileDrawer(source: StagedSource, before: FiledSource, call: Call): Promise<boolean> {
  const done = await write(call, undefined, (palace) => {
    const now = palace.sources.byKey(source.sourceKey);
    const same = now?.hash === before.hash && now.wing === before.wing && now.room === before.room;
    return same ? [source] : undefined;
  });
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
