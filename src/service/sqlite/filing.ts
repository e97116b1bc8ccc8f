import type { StagedSource } from '../../core/contract.js';
import { UserError } from '../../core/errors.js';
import { forgottenError } from '../../core/forgotten.js';
import { sha256 } from '../../core/hash.js';
import { validRoom } from '../../core/room.js';
import { buildSourceKey, isOfKind, KEY_KIND } from '../../core/source-key.js';
import { validateWing } from '../../core/wing.js';
import { type FiledWritten, fileWritten } from '../../miner/file-written.js';
import { writtenScope, writtenSource } from '../../miner/written.js';
import { findDrawer } from '../../reading/index.js';
import type { FiledSource, Palace } from '../../store/index.js';
import { pruneUses } from '../../uses/log.js';
import type { Input, Output, ServiceCall } from '../contract/index.js';
import type { Resources } from '../palace/resources.js';
import { write, writerOf } from '../palace/writer.js';
import { idsOf } from './listing.js';

/** Last part of a key: the text is cut as Markdown. */
const NAME = 'drawer.md';
const ID_DIGITS = 24;
/** Ids of one text's drawers in an answer, at most. */
const IDS_SHOWN = 20;
/** An update is derived from the stored text, which another program may change: it is repeated at most this many times. */
const ATTEMPTS = 5;

/** One short write without the run lock. A text that is filed already is not embedded again. */
export async function fileTexts(
  resources: Resources,
  { texts, addedBy }: Input<'fileTexts'>,
  call: ServiceCall,
): Promise<Output<'fileTexts'>> {
  const drafts = texts.map(({ content: text, sourceFile = '', ...place }) => {
    const [wing, room] = [validateWing(place.wing), validRoom(place.room)];
    return { sourceKey: '', origin: '', sourceFile, text, wing, room, writtenMs: Date.now() };
  });
  const scope = await writtenScope(drafts, await writerOf(resources).sanitiser());
  const staged: StagedSource[] = [];
  for (const draft of drafts) staged.push(await writtenSource(draft, scope));
  let settled: ReturnType<typeof settle>[] = [];
  const done = await file(resources, addedBy, call, (palace) => {
    settled = staged.map((each) => settle(palace, each));
    const missing = settled.filter(({ filed }) => filed === undefined);
    // Two equal drafts have one key.
    return [...new Map(missing.map(({ source }) => [source.sourceKey, source])).values()];
  });
  const forgotten = new Set(done?.forgotten.map(({ origin }) => origin));
  return {
    texts: settled.map(({ source: { sourceKey, origin, redacted = {} }, filed }) => ({
      already: filed !== undefined,
      redacted,
      ...(forgotten.has(origin) ? {} : { filed: filedAs(resources.handle.get(), sourceKey) }),
    })),
  };
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
  resources: Resources,
  addedBy: string | undefined,
  call: ServiceCall,
  sources: (palace: Palace) => StagedSource[] | undefined,
): Promise<FiledWritten | undefined> {
  const { agent, signal } = call;
  return write(resources, call, (palace, run) =>
    fileWritten({
      palace,
      sources: () => sources(palace),
      run,
      addedBy: addedBy ?? agent,
      embedder: () => resources.models.wait(palace.model, signal),
      signal,
    }),
  );
}

function filedAs(palace: Palace, sourceKey: string): Output<'updateText'>['filed'] {
  return palace.snapshot(() => {
    const filed = palace.sources.byKey(sourceKey);
    if (filed === undefined)
      throw new UserError('not-found', 'it was filed, but another program has deleted it since', {
        hint: 'file it again',
      });
    const { wing, room, sourceFile } = filed;
    const ids = idsOf(palace, filed.id);
    return { wing, room, sourceFile, ids: ids.slice(0, IDS_SHOWN), drawers: ids.length };
  });
}

export async function updateText(
  resources: Resources,
  { id, content, wing, room, within }: Input<'updateText'>,
  call: ServiceCall,
): Promise<Output<'updateText'>> {
  const sanitiser = await writerOf(resources).sanitiser();
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const palace = resources.handle.get();
    const { filed } = writtenOf(palace, id, within);
    const place = {
      wing: wing === undefined ? filed.wing : validateWing(wing),
      room: room === undefined ? filed.room : validRoom(room),
    };
    const written = {
      sourceKey: filed.sourceKey,
      ...place,
      text: content ?? palace.sources.textOf(filed.id),
      origin: filed.origin,
      sourceFile: filed.sourceFile,
      writtenMs: content === undefined ? filed.mtimeMs : Date.now(),
    };
    const source = await writtenSource(written, await writtenScope([written], sanitiser));
    const changed = source.hash !== filed.hash || source.wing !== filed.wing || source.room !== filed.room;
    if (changed && !(await refile(resources, source, filed, call))) continue;
    return { changed, filed: filedAs(resources.handle.get(), filed.sourceKey) };
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
async function refile(
  resources: Resources,
  source: StagedSource,
  before: FiledSource,
  call: ServiceCall,
): Promise<boolean> {
  const done = await file(resources, undefined, call, (palace) => {
    const now = palace.sources.byKey(source.sourceKey);
    const same = now?.hash === before.hash && now.wing === before.wing && now.room === before.room;
    return same ? [source] : undefined;
  });
  if (done === undefined) return false;
  if (done.forgotten.length > 0) throw forgottenError();
  if (done.drawersRemoved > 0) await writerOf(resources).clearTraces(call.signal);
  return true;
}

export async function deleteText(
  resources: Resources,
  { id, within }: Input<'deleteText'>,
  call: ServiceCall,
): Promise<Output<'deleteText'>> {
  const { drawerId, filed } = writtenOf(resources.handle.get(), id, within);
  const drawersRemoved = await write(resources, call, async (palace, run) => {
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
  if (drawersRemoved > 0) await writerOf(resources).clearTraces(call.signal);
  return { drawerId, drawersRemoved };
}

/** @throws UserError `usage` for a drawer of a feeder; as `findDrawer` does */
function writtenOf(
  palace: Palace,
  id: string,
  wing: string | undefined,
): { drawerId: string; filed: FiledSource } {
  const { drawerId, sourceKey, sourceFile } = findDrawer(palace, id, wing);
  const filed = palace.sources.byKey(sourceKey);
  if (filed !== undefined && isOfKind(sourceKey, KEY_KIND.drawer)) return { drawerId, filed };
  throw new UserError('usage', `${drawerId} is part of ${sourceFile}, which was not written here`, {
    hint: 'it changes with its session or document; mempalace_delete_by_source forgets a whole source',
  });
}
