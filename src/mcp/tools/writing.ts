import { z } from 'zod';
import { UserError } from '../../core/errors.js';
import { forgottenError } from '../../core/forgotten.js';
import { validRoom } from '../../core/room.js';
import { validateWing } from '../../core/wing.js';
import { type DiaryNote, settleNote } from '../../knowledge/diary/index.js';
import { diary as diaries } from '../../operations/diary.js';
import type { Output } from '../../service/contract/index.js';
import { filer, named, redactions, text, tidyAgent } from '../fields.js';
import { problemOf } from '../invoke.js';
import { toolFor } from '../operations.js';
import { type Call, defineTool, type Tool } from '../tool.js';
import { CONTENT_CHARS, similarTo } from './drawers.js';

const content = z
  .string()
  .min(1)
  .max(CONTENT_CHARS)
  .refine((value) => value.trim() !== '', 'the text is empty');
const placeName = () => z.string().min(1).max(PLACE_CHARS);
const PLACE_CHARS = 300;
const ITEMS_AT_MOST = 50;

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
  inWing: true,
  core: true,
  writes: true,
  idempotent: true,
  logged: (_, { drawer_id, wing, room }) => ({ drawer_id, wing, room }),
  async run({ wing, room, content: given, source_file: sourceFile, added_by: addedBy }, call) {
    const draft = { wing, room, content: given, sourceFile };
    const asked = { texts: [draft], addedBy: filerOf(addedBy) };
    const [text] = (await call.service.fileTexts(asked, call)).texts;
    if (text?.filed === undefined) throw forgottenError();
    return { ...filedAs(text.filed), ...outcomeOf(text) };
  },
});

const writeDiary = toolFor(diaries.diaryWrite);

const checkpoint = defineTool({
  name: 'mempalace_checkpoint',
  title: 'Save a session in one call',
  description:
    'Files several texts at once, each as add_drawer does, then writes the diary entry, if given. Texts that are nearly filed already are skipped. Good before a session ends or its context is compacted. Sending it again duplicates nothing.',
  input: z.object({
    items: z
      .array(z.object({ wing: placeName(), room: placeName(), content, source_file: text('its subject') }))
      .max(ITEMS_AT_MOST),
    diary: z.optional(writeDiary.input),
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
    diary: z.looseObject({}).optional(),
  }),
  inWing: true,
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
    if (diary !== undefined) settleNote({ ...diary, agent: diary.agent_name } as DiaryNote);
    const drafts = items.map(({ source_file: sourceFile, ...rest }) => ({ ...rest, sourceFile }));
    const similar = threshold >= 1 ? [] : await filedAlready(drafts, threshold, call);
    const fresh = drafts.flatMap((draft, item) => (similar[item] === undefined ? [{ draft, item }] : []));
    const asked = { texts: fresh.map(({ draft }) => draft), addedBy: filerOf(addedBy) };
    const { texts } = fresh.length === 0 ? { texts: [] } : await call.service.fileTexts(asked, call);
    const outcomes = texts.map((text, at) => ({ item: fresh[at]?.item ?? 0, text }));
    const forgotten = outcomes.filter(({ text }) => text.filed === undefined);
    return {
      success: forgotten.length === 0,
      added: outcomes.flatMap(({ item, text }) =>
        text.filed === undefined ? [] : [{ item, ...filedAs(text.filed), ...outcomeOf(text) }],
      ),
      duplicates: similar.flatMap((match, item) => (match === undefined ? [] : [{ item, ...match }])),
      errors: forgotten.map(({ item }) => ({ item, ...problemOf(forgottenError()) })),
      ...(diary === undefined ? {} : { diary: await writeDiary.run(diary, call) }),
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
  inWing: true,
  writes: true,
  destructive: true,
  idempotent: true,
  logged: (_, { drawer_id, wing, room }) => ({ drawer_id, wing, room }),
  async run({ drawer_id: id, content: given, wing, room }, call) {
    const asked = { id, content: given, wing, room };
    const { changed, filed } = await call.service.updateText(asked, call);
    return { ...filedAs(filed), ...(changed ? {} : { noop: true }), previous_id: id };
  },
});

const deleteDrawer = defineTool({
  name: 'mempalace_delete_drawer',
  title: 'Delete a filed text',
  description:
    'Deletes a text filed by add_drawer, permanently. Sessions and documents are not touched: mempalace_delete_by_source forgets those.',
  input: z.object({ drawer_id: named() }),
  output: z.looseObject({ success: z.boolean(), drawer_id: z.string(), drawers_removed: z.number() }),
  inWing: true,
  writes: true,
  destructive: true,
  logged: (_, { drawer_id }) => ({ drawer_id }),
  async run({ drawer_id: given }, call) {
    const { drawerId, drawersRemoved } = await call.service.deleteText({ id: given }, call);
    return { success: true, drawer_id: drawerId, drawers_removed: drawersRemoved };
  },
});

export const WRITING_TOOLS: readonly Tool[] = [addDrawer, checkpoint, updateDrawer, deleteDrawer];

function filerOf(name: string | undefined): string | undefined {
  return tidyAgent(name ?? '') || undefined;
}

/** A filed text, in the form that agents get. */
function filedAs({ wing, room, sourceFile, ids, drawers }: Output<'updateText'>['filed']) {
  const [first = ''] = ids;
  return {
    success: true,
    drawer_id: first,
    wing,
    room,
    source_file: sourceFile,
    chunks: drawers,
    ...(drawers > 1 ? { chunk_ids: ids } : {}),
  };
}

function outcomeOf({ already, redacted }: Output<'fileTexts'>['texts'][number]) {
  return { ...(already ? { reason: 'already_exists' } : {}), ...redactions(redacted) };
}

/** Per draft the filed text that is at least this similar. */
async function filedAlready(drafts: readonly { content: string }[], threshold: number, call: Call) {
  const contents = drafts.map(({ content }) => content);
  try {
    return (await similarTo(contents, threshold, call)).map(([first]) => first);
  } catch (error) {
    // There is no palace yet.
    if (error instanceof UserError && error.code === 'not-found') return [];
    throw error;
  }
}
