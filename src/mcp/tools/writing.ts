import { z } from 'zod';
import { UserError } from '../../core/errors.js';
import { validateWing } from '../../core/wing.js';
import { writtenScope, writtenSource } from '../../miner/written.js';
import { findDrawer } from '../../reading/index.js';
import type { FiledSource, Palace } from '../../store/index.js';
import { filer, named, redactions, text, tidyAgent } from '../fields.js';
import {
  type Draft,
  deleteWritten,
  type FiledDraft,
  fileDrafts,
  forgottenError,
  isWritten,
  refileDrawer,
  validRoom,
} from '../file-drawers.js';
import { problemOf } from '../invoke.js';
import { type Call, defineTool, type Tool } from '../tool.js';
import { checkEntry, entryShape, note, writeEntry } from './diary.js';
import { CONTENT_CHARS, IDS_SHOWN, idsOf, similarTo } from './drawers.js';

const content = z
  .string()
  .min(1)
  .max(CONTENT_CHARS)
  .refine((value) => value.trim() !== '', 'the text is empty');
const placeName = () => z.string().min(1).max(PLACE_CHARS);
const PLACE_CHARS = 300;
const ITEMS_AT_MOST = 50;
/** An update is derived from the stored drawer, which another server may change: it is repeated at most this many times. */
const ATTEMPTS = 5;

const filedShape = z.looseObject({
  success: z.boolean(),
  drawer_id: z.string(),
  wing: z.string(),
  room: z.string(),
});

const addDrawer = defineTool({
  name: 'mempalace_add_drawer',
  title: 'File a text',
  description:
    'Files a text word for word, to be found again: a decision with its reason, a fact, a fix, an open question. Secrets are redacted. The same text in the same place is not filed twice.',
  input: z.object({
    wing: placeName().describe('project or area, as wing_shop'),
    room: placeName().describe('topic, as decisions'),
    content: content.describe('Markdown or plain text, complete'),
    source_file: text('its subject or origin'),
    added_by: filer('who files it; default: you'),
  }),
  output: filedShape,
  core: true,
  writes: true,
  idempotent: true,
  logged: (_, { drawer_id, wing, room }) => ({ drawer_id, wing, room }),
  async run({ wing, room, content: given, source_file: sourceFile, added_by: addedBy }, call) {
    const [filed] = await fileDrafts([{ wing, room, content: given, sourceFile }], filerOf(addedBy), call);
    if (filed === undefined) throw new Error('nothing was filed');
    if (filed.forgotten) throw forgottenError();
    return filedAs(await call.palace(), filed);
  },
});

const checkpoint = defineTool({
  name: 'mempalace_checkpoint',
  title: 'Save a session in one call',
  description:
    'Files several texts at once, each as add_drawer does, then writes the diary entry, if given. Texts that are nearly filed already are skipped. Good before a session ends or its context is compacted. Sending it again duplicates nothing.',
  input: z.object({
    items: z
      .array(z.object({ wing: placeName(), room: placeName(), content, source_file: text('its subject') }))
      .max(ITEMS_AT_MOST),
    diary: note.optional(),
    dedup_threshold: z.coerce
      .number()
      .min(0)
      .max(1)
      .default(0.9)
      .describe('skip texts at least this similar to a filed one; 1: only the same'),
    added_by: filer('who files it'),
  }),
  output: z.looseObject({
    success: z.boolean(),
    added: z.array(filedShape),
    duplicates: z.array(z.looseObject({ item: z.number(), id: z.string(), similarity: z.number() })),
    errors: z.array(z.looseObject({ item: z.number(), error: z.string(), code: z.string() })),
    diary: entryShape.optional(),
  }),
  writes: true,
  idempotent: true,
  logged: (_, { added, diary }) => ({
    drawer_ids: added.map(({ drawer_id }) => drawer_id),
    ...(diary === undefined ? {} : { entry_id: diary.entry_id }),
  }),
  async run({ items, diary, dedup_threshold: threshold, added_by: addedBy }, call) {
    if (items.length === 0 && diary === undefined)
      throw new UserError('usage', 'there is neither an item nor a diary entry');
    // All arguments are checked before anything is filed.
    for (const { wing, room } of items) [validateWing(wing), validRoom(room)];
    if (diary !== undefined) checkEntry(diary);
    const drafts = items.map(({ source_file: sourceFile, ...rest }, item) => ({ ...rest, sourceFile, item }));
    const similar = threshold >= 1 ? [] : await filedAlready(drafts, threshold, call);
    const fresh = drafts.filter(({ item }) => similar[item] === undefined);
    const filed = fresh.length === 0 ? [] : await fileDrafts(fresh, filerOf(addedBy), call);
    const outcomes = filed.map((draft, at) => ({ item: fresh[at]?.item ?? 0, draft }));
    const forgotten = outcomes.filter(({ draft }) => draft.forgotten);
    const added = outcomes.filter(({ draft }) => !draft.forgotten);
    const palace = added.length > 0 ? await call.palace() : undefined;
    return {
      success: forgotten.length === 0,
      added:
        palace === undefined ? [] : added.map(({ item, draft }) => ({ item, ...filedAs(palace, draft) })),
      duplicates: similar.flatMap((match, item) => (match === undefined ? [] : [{ item, ...match }])),
      errors: forgotten.map(({ item }) => ({ item, ...problemOf(forgottenError()) })),
      ...(diary === undefined ? {} : { diary: await writeEntry(diary, call) }),
    };
  },
});

const updateDrawer = defineTool({
  name: 'mempalace_update_drawer',
  title: 'Change or move a filed text',
  description:
    'Gives a text filed by add_drawer another content, wing or room. The answer contains its new drawer_id. Sessions and documents change at their origin only.',
  input: z.object({
    drawer_id: named(),
    content: content.optional(),
    wing: text('move it there'),
    room: text('move it there'),
  }),
  output: filedShape,
  writes: true,
  destructive: true,
  idempotent: true,
  logged: (_, { drawer_id, wing, room }) => ({ drawer_id, wing, room }),
  async run({ drawer_id: id, content: given, wing, room }, call) {
    const sanitiser = await call.host.sanitiser();
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const palace = await call.palace();
      const { filed } = writtenOf(palace, id);
      const place = {
        wing: wing === undefined ? filed.wing : validateWing(wing),
        room: room === undefined ? filed.room : validRoom(room),
      };
      const written = {
        sourceKey: filed.sourceKey,
        ...place,
        text: given ?? palace.sources.textOf(filed.id),
        origin: filed.origin,
        sourceFile: filed.sourceFile,
        writtenMs: given === undefined ? filed.mtimeMs : Date.now(),
      };
      const source = await writtenSource(written, await writtenScope([written], sanitiser));
      const noop = source.hash === filed.hash && source.wing === filed.wing && source.room === filed.room;
      if (!noop && !(await refileDrawer(source, filed, call))) continue;
      const now = filedAs(await call.palace(), filed);
      return { ...now, ...(noop ? { noop: true } : {}), previous_id: id };
    }
    throw new UserError('locked', 'other writers keep changing it; try again');
  },
});

const deleteDrawer = defineTool({
  name: 'mempalace_delete_drawer',
  title: 'Delete a filed text',
  description:
    'Deletes a text filed by add_drawer, permanently. Sessions and documents are not touched: mempalace_delete_by_source forgets those.',
  input: z.object({ drawer_id: named() }),
  output: z.looseObject({ success: z.boolean(), drawer_id: z.string(), drawers_removed: z.number() }),
  writes: true,
  destructive: true,
  logged: (_, { drawer_id }) => ({ drawer_id }),
  async run({ drawer_id: given }, call) {
    const { drawerId, filed } = writtenOf(await call.palace(), given);
    const removed = await deleteWritten(filed.sourceKey, call);
    return { success: true, drawer_id: drawerId, drawers_removed: removed };
  },
});

export const WRITING_TOOLS: readonly Tool[] = [addDrawer, checkpoint, updateDrawer, deleteDrawer];

function filerOf(name: string | undefined): string | undefined {
  return tidyAgent(name ?? '') || undefined;
}

/** A filed source, in the form that agents get. */
function filedAs(
  palace: Palace,
  { sourceKey, already = false, redacted = {} }: Pick<FiledDraft, 'sourceKey'> & Partial<FiledDraft>,
) {
  return palace.snapshot(() => {
    const filed = palace.sources.byKey(sourceKey);
    if (filed === undefined)
      throw new UserError('not-found', 'it was filed, but another program has deleted it since', {
        hint: 'file it again',
      });
    const ids = idsOf(palace, filed.id);
    const [first = ''] = ids;
    return {
      success: true,
      drawer_id: first,
      wing: filed.wing,
      room: filed.room,
      source_file: filed.sourceFile,
      chunks: ids.length,
      ...(ids.length > 1 ? { chunk_ids: ids.slice(0, IDS_SHOWN) } : {}),
      ...(already ? { reason: 'already_exists' } : {}),
      ...redactions(redacted),
    };
  });
}

/** @throws UserError `usage` for a drawer of a feeder; as `findDrawer` does */
function writtenOf(palace: Palace, id: string): { drawerId: string; filed: FiledSource } {
  const { drawerId, sourceKey, sourceFile } = findDrawer(palace, id);
  const filed = palace.sources.byKey(sourceKey);
  if (filed !== undefined && isWritten(sourceKey)) return { drawerId, filed };
  throw new UserError('usage', `${drawerId} is part of ${sourceFile}, which was not written here`, {
    hint: 'it changes with its session or document; mempalace_delete_by_source forgets a whole source',
  });
}

/** Per draft the filed text that is at least this similar. */
async function filedAlready(drafts: readonly Draft[], threshold: number, call: Call) {
  let palace: Palace;
  try {
    palace = await call.palace();
  } catch (error) {
    if (error instanceof UserError && error.code === 'not-found') return [];
    throw error;
  }
  const contents = drafts.map(({ content }) => content);
  return (await similarTo(palace, contents, threshold, call)).map(([first]) => first);
}
