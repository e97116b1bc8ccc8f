/** Texts of agents: sources that only agents write. */
import type { StagedSource } from '../../core/contract.js';
import { UserError } from '../../core/errors.js';
import { forgottenError } from '../../core/forgotten.js';
import { sha256 } from '../../core/hash.js';
import { validRoom } from '../../core/room.js';
import { buildSourceKey, isOfKind, KEY_KIND } from '../../core/source-key.js';
import { validateWing } from '../../core/wing.js';
import { type FiledWritten, fileWritten } from '../../miner/file-written.js';
import { writtenAlone, writtenScope, writtenSource } from '../../miner/written.js';
import { findDrawer } from '../../reading/index.js';
import { write, writerOf } from '../../service/palace/writer.js';
import type { FiledSource, Palace } from '../../store/index.js';
import { pruneUses } from '../../uses/log.js';
import type { Context } from '../operation.js';
import { redactions } from '../told.js';
import type { Draft } from './index.js';

/** Last part of a key: the text is cut as Markdown. */
const NAME = 'drawer.md';
const ID_DIGITS = 24;
/** Ids of one text's drawers in an answer, at most. */
const IDS_SHOWN = 20;
/** An update is derived from the stored text, which another program may change: it is repeated at most this many times. */
const ATTEMPTS = 5;

/**
 * Files texts word for word, each as a source of its own, in one short write without the run lock. The same text in the
 * same place is filed once, and not embedded again. Invalid names are refused before anything is filed.
 *
 * @param addedBy default: who asks
 * @returns per text what is filed; undefined for one that the user had forgotten
 */
export async function fileTexts(context: Context, texts: readonly Draft[], addedBy?: string) {
  const drafts = texts.map(({ content: text, source_file: sourceFile = '', ...place }) => {
    const [wing, room] = [validateWing(place.wing), validRoom(place.room)];
    return { sourceKey: '', origin: '', sourceFile, text, wing, room, writtenMs: Date.now() };
  });
  const scope = await writtenScope(drafts, await writerOf(context).sanitiser());
  const staged: StagedSource[] = [];
  for (const draft of drafts) staged.push(await writtenSource(draft, scope));
  let settled: ReturnType<typeof settle>[] = [];
  const done = await file(context, addedBy, (palace) => {
    settled = staged.map((each) => settle(palace, each));
    const missing = settled.filter(({ filed }) => filed === undefined);
    // Two equal drafts have one key.
    return [...new Map(missing.map(({ source }) => [source.sourceKey, source])).values()];
  });
  const forgotten = new Set(done?.forgotten.map(({ origin }) => origin));
  return settled.map(({ source: { sourceKey, origin, redacted = {} }, filed }) => {
    if (forgotten.has(origin)) return undefined;
    const already = filed !== undefined && { reason: 'already_exists' as const };
    return { ...filedAs(context.handle.get(), sourceKey), ...already, ...redactions(redacted) };
  });
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

function file(
  context: Context,
  addedBy: string | undefined,
  sources: (palace: Palace) => StagedSource[] | undefined,
): Promise<FiledWritten | undefined> {
  const { call, models } = context;
  const { agent, signal } = call;
  return write(context, call, (palace, run) =>
    fileWritten({
      palace,
      sources: () => sources(palace),
      run,
      addedBy: addedBy ?? agent,
      embedder: () => models.wait(palace.model, signal),
      signal,
    }),
  );
}

function filedAs(palace: Palace, sourceKey: string) {
  return palace.snapshot(() => {
    const filed = palace.sources.byKey(sourceKey);
    if (filed === undefined)
      throw new UserError('not-found', 'it was filed, but another program has deleted it since', {
        hint: 'file it again',
      });
    const { wing, room, sourceFile: source_file, drawers: chunks } = filed;
    const shown = palace.reading.drawersBetween(filed.id, 0, Math.min(chunks, IDS_SHOWN) - 1);
    const chunk_ids = shown.map(({ drawerId }) => drawerId);
    const [drawer_id = ''] = chunk_ids;
    const several = chunks > 1 && { chunk_ids };
    return { success: true as const, drawer_id, wing, room, source_file, chunks, ...several };
  });
}

/** Gives a text of `fileTexts` another content or place. */
export async function updateText(
  context: Context,
  drawer_id: string,
  {
    content,
    wing,
    room,
    within,
  }: Partial<Record<'content' | 'wing' | 'room' | 'within', string | undefined>>,
) {
  const sanitiser = await writerOf(context).sanitiser();
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const palace = context.handle.get();
    const { filed } = writtenOf(palace, drawer_id, within);
    const { sourceKey, origin, sourceFile } = filed;
    const written = {
      ...{ sourceKey, origin, sourceFile },
      wing: wing === undefined ? filed.wing : validateWing(wing),
      room: room === undefined ? filed.room : validRoom(room),
      text: content ?? palace.sources.textOf(filed.id),
      writtenMs: content === undefined ? filed.mtimeMs : Date.now(),
    };
    const source = await writtenAlone(written, sanitiser);
    const changed = source.hash !== filed.hash || source.wing !== filed.wing || source.room !== filed.room;
    if (changed && !(await refile(context, source, filed))) continue;
    const noop = !changed && { noop: true as const };
    return { ...filedAs(context.handle.get(), sourceKey), ...noop, previous_id: drawer_id };
  }
  throw new UserError('locked', 'other writers keep changing it; try again');
}

/**
 * Gives a filed text another content or place, in one short write without the run lock.
 *
 * @param before the stored source from which the new one was made
 * @returns false, without a change, if the source was changed or removed meanwhile
 * @throws UserError `failed` when the user had it forgotten
 */
async function refile(context: Context, source: StagedSource, before: FiledSource): Promise<boolean> {
  const done = await file(context, undefined, (palace) => {
    const now = palace.sources.byKey(source.sourceKey);
    const same = now?.hash === before.hash && now.wing === before.wing && now.room === before.room;
    return same ? [source] : undefined;
  });
  if (done === undefined) return false;
  if (done.forgotten.length > 0) throw forgottenError();
  if (done.drawersRemoved > 0) await writerOf(context).clearTraces(context.call.signal);
  return true;
}

/** Deletes a text of `fileTexts`. @param within the only wing */
export async function deleteText(context: Context, drawerId: string, within?: string) {
  const { call } = context;
  const { drawer_id, filed } = writtenOf(context.handle.get(), drawerId, within);
  const drawers_removed = await write(context, call, async (palace, run) => {
    const removed = palace.transaction(() => {
      const source = palace.sources.byKey(filed.sourceKey);
      // It may have been moved meanwhile.
      if (source === undefined || (within !== undefined && source.wing !== within)) return 0;
      const drawers = palace.removeAll([source]);
      palace.runs.add(run, { exitCode: 0, counts: { removed: 1, drawers_removed: drawers }, skipped: [] });
      return drawers;
    });
    pruneUses(palace.folder, (ids) => palace.reading.existing(ids));
    palace.emptyLog();
    return removed;
  });
  if (drawers_removed > 0) await writerOf(context).clearTraces(call.signal);
  return { success: true as const, drawer_id, drawers_removed };
}

/** @throws UserError `usage` for a drawer of a feeder; as `findDrawer` does */
function writtenOf(
  palace: Palace,
  id: string,
  wing: string | undefined,
): { drawer_id: string; filed: FiledSource } {
  const { drawerId: drawer_id, sourceKey, sourceFile } = findDrawer(palace, id, wing);
  const filed = palace.sources.byKey(sourceKey);
  if (filed !== undefined && isOfKind(sourceKey, KEY_KIND.drawer)) return { drawer_id, filed };
  throw new UserError('usage', `${drawer_id} is part of ${sourceFile}, which was not written here`, {
    hint: 'it changes with its session or document; mempalace_delete_by_source forgets a whole source',
  });
}
