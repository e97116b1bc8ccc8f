import type { StagedSource } from '../core/contract.js';
import { UserError } from '../core/errors.js';
import { sha256 } from '../core/hash.js';
import { buildSourceKey, isOfKind, KEY_KIND } from '../core/source-key.js';
import { validateWing } from '../core/wing.js';
import { type FiledWritten, fileWritten } from '../miner/file-written.js';
import { writtenScope, writtenSource } from '../miner/written.js';
import type { FiledSource, Palace } from '../store/index.js';
import type { Call } from './tool.js';

/** Last part of a key: the text is cut as Markdown. */
const NAME = 'drawer.md';
const ID_DIGITS = 24;

/** The input of `add_drawer`. */
export interface Draft {
  wing: string;
  room: string;
  content: string;
  sourceFile: string | undefined;
}

/** Whether a source was written by `add_drawer`, not by a feeder. */
export function isWritten(sourceKey: string): boolean {
  return isOfKind(sourceKey, KEY_KIND.drawer);
}

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
  const texts = drafts.map(({ content: text, sourceFile = '', ...place }) => {
    const [wing, room] = [validateWing(place.wing), validRoom(place.room)];
    return { sourceKey: '', origin: '', sourceFile, text, wing, room, writtenMs: Date.now() };
  });
  const scope = await writtenScope(texts, await call.host.sanitiser());
  const staged: StagedSource[] = [];
  for (const text of texts) staged.push(await writtenSource(text, scope));
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

/**
 * Gives a staged draft its key. The same draft gets the same key, so that a repeated call files it once. When that key
 * has another text (it was updated since) the next key is taken.
 *
 * @returns `filed` when exactly this draft is filed already
 */
function settle(
  palace: Palace,
  staged: StagedSource,
): { source: StagedSource; filed: FiledSource | undefined } {
  const { wing, room, hash } = staged;
  for (let occurrence = 0; ; occurrence += 1) {
    const id = sha256(`${wing}\0${room}\0${hash}\0${occurrence}`).slice(0, ID_DIGITS);
    const sourceKey = buildSourceKey({ kind: KEY_KIND.drawer, owner: id, name: NAME });
    const filed = palace.sources.byKey(sourceKey);
    const same = filed?.hash === hash && filed.wing === wing && filed.room === room;
    if (filed !== undefined && !same) continue;
    const origin = `mempalace://drawer/${id}`;
    const sourceFile = staged.sourceFile === '' ? `drawer/${id}.md` : staged.sourceFile;
    return { source: { ...staged, sourceKey, origin, sourceFile }, filed };
  }
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
 * @returns false, without a change, if the source was removed meanwhile
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

/** @throws UserError `usage` */
export function validRoom(name: string): string {
  const room = name.normalize('NFC').trim();
  if (/^[^\p{Cc}\p{Cf}/\\]{1,128}$/u.test(room)) return room;
  throw new UserError('usage', `not a room: ${JSON.stringify(name)}`, {
    hint: 'a room is 1 to 128 characters, without slashes and control characters',
  });
}
