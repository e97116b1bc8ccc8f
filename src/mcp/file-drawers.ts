import type { StagedSource } from '../core/contract.js';
import { UserError } from '../core/errors.js';
import { type FiledWritten, fileWritten } from '../miner/file-written.js';
import { writtenScope } from '../miner/written.js';
import type { FiledSource, Palace } from '../store/index.js';
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
    const conclude = () => {
      const all = staged.map((each) => settle(palace, each));
      const missing = all.flatMap(({ source, filed }) => (filed === undefined ? [source] : []));
      return { all, sources: [...new Map(missing.map((source) => [source.sourceKey, source])).values()] };
    };
    const { concluded, done } = await fileConcluded(palace, conclude, {
      run,
      addedBy: addedBy ?? call.agent,
      call,
    });
    const forgotten = new Set(done.forgotten.map(({ origin }) => origin));
    return concluded.all.map(({ source: { sourceKey, origin, redacted = {} }, filed }) => ({
      sourceKey,
      already: filed !== undefined,
      forgotten: forgotten.has(origin),
      redacted,
    }));
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

const NOTHING: FiledWritten = { filed: 0, moved: 0, drawersRemoved: 0, forgotten: [] };

/** Files what was concluded from the palace, if the same is concluded in the transaction that files it. */
async function fileConcluded<T extends { sources: StagedSource[] }>(
  palace: Palace,
  conclude: () => T,
  { run, addedBy, call }: { run: Parameters<Parameters<Call['write']>[0]>[1]; addedBy: string; call: Call },
): Promise<{ concluded: T; done: FiledWritten }> {
  const told = ({ sources }: T): string =>
    JSON.stringify(sources.map(({ sourceKey, hash, wing, room }) => [sourceKey, hash, wing, room]));
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const concluded = conclude();
    const { sources } = concluded;
    if (sources.length === 0) return { concluded, done: NOTHING };
    const done = await fileWritten({
      palace,
      sources,
      run,
      addedBy,
      embedder: () => call.model.wait(palace.model, call.signal),
      unless: () => told(conclude()) !== told(concluded),
      signal: call.signal,
    });
    if (done !== undefined) return { concluded, done };
  }
  throw new UserError('locked', 'others change the same again and again');
}
