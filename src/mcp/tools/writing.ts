import { z } from 'zod';
import { UserError } from '../../common/errors.js';
import { validateWing } from '../../common/wing.js';
import type { MineResult } from '../../miner/mine.js';
import { writtenSource } from '../../miner/written.js';
import { findDrawer } from '../../reading/index.js';
import type { FiledSource, Palace } from '../../store/index.js';
import { text } from '../fields.js';
import { type Call, defineTool, type Tool } from '../tool.js';
import { type Draft, isWritten, settle, validRoom } from '../written.js';
import { CONTENT_CHARS, idsOf, nearest } from './drawers.js';

const content = z.string().min(1).max(CONTENT_CHARS);
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
    'Files a text word for word, to be found again: a decision with its reason, a fact, a fix, what is still open. Secrets are redacted. The same text in the same place is not filed twice.',
  input: z.object({
    wing: z.string().min(1).describe('project or area, as wing_shop'),
    room: z.string().min(1).describe('topic, as decisions'),
    content: content.describe('Markdown or plain text, whole'),
    source_file: text('what it is about or from'),
    added_by: text('who files it; default: you'),
  }),
  output: filedShape,
  core: true,
  writes: true,
  idempotent: true,
  logged: (_, { drawer_id, wing, room }) => ({ drawer_id, wing, room }),
  async run({ wing, room, content: given, source_file: sourceFile, added_by: addedBy }, call) {
    const [filed] = await fileAll([{ wing, room, content: given, sourceFile }], addedBy, call);
    if (filed === undefined) throw new Error('nothing was filed');
    return filed;
  },
});

const checkpoint = defineTool({
  name: 'mempalace_checkpoint',
  title: 'File several texts at once',
  description:
    'Files several texts in one go, as add_drawer does each; what the palace nearly holds already is passed over. Good before a session ends or its context is compacted.',
  input: z.object({
    items: z
      .array(z.object({ wing: z.string().min(1), room: z.string().min(1), content }))
      .min(1)
      .max(ITEMS_AT_MOST),
    dedup_threshold: z.coerce
      .number()
      .min(0)
      .max(1)
      .default(0.9)
      .describe('pass over what is so similar to a filed text; 1: only what is the same'),
    added_by: text('who files it'),
  }),
  output: z.looseObject({
    success: z.boolean(),
    filed: z.array(filedShape),
    duplicates: z.array(z.looseObject({})),
  }),
  core: false,
  writes: true,
  idempotent: true,
  logged: (_, { filed }) => ({ drawer_ids: filed.map(({ drawer_id }) => drawer_id) }),
  async run({ items, dedup_threshold: threshold, added_by: addedBy }, call) {
    const drafts = items.map((item) => ({ ...item, sourceFile: undefined }));
    const similar = threshold >= 1 ? [] : await similarTo(drafts, threshold, call);
    const fresh = drafts.filter((_, index) => similar[index] === undefined);
    const filed = fresh.length === 0 ? [] : await fileAll(fresh, addedBy, call);
    const duplicates = similar.flatMap((match, item) => (match === undefined ? [] : [{ item, ...match }]));
    return { success: true, filed, duplicates };
  },
});

const updateDrawer = defineTool({
  name: 'mempalace_update_drawer',
  title: 'Change or move what was filed',
  description:
    'Gives what add_drawer filed another text, wing or room. The answer names its drawer_id from now on. Sessions and documents change at their origin only.',
  input: z.object({
    drawer_id: z.string().min(1),
    content: content.optional(),
    wing: text('move it there'),
    room: text('move it there'),
  }),
  output: filedShape,
  core: false,
  writes: true,
  destructive: true,
  idempotent: true,
  logged: (_, { drawer_id, wing, room }) => ({ drawer_id, wing, room }),
  async run({ drawer_id: id, content: given, wing, room }, call) {
    const palace = await call.palace();
    const { filed } = writtenOf(palace, id);
    const place = {
      wing: wing === undefined ? filed.wing : validateWing(wing),
      room: room === undefined ? filed.room : validRoom(room),
    };
    const source = await writtenSource(
      {
        sourceKey: filed.sourceKey,
        ...place,
        text: given ?? palace.sources.textOf(filed.id),
        origin: filed.origin,
        sourceFile: filed.sourceFile,
        writtenMs: given === undefined ? filed.mtimeMs : Date.now(),
      },
      await call.host.sanitiser(),
    );
    const noop = source.hash === filed.hash && place.wing === filed.wing && place.room === filed.room;
    if (!noop) refuseProblems(await call.file({ sources: [source], skipped: [] }));
    const now = filedAs(await call.palace(), filed.sourceKey);
    return { ...now, ...(noop ? { noop: true } : {}), previous_id: id };
  },
});

const deleteDrawer = defineTool({
  name: 'mempalace_delete_drawer',
  title: 'Delete what was filed',
  description:
    'Deletes what add_drawer filed, for good. Sessions and documents are not touched: mempalace_delete_by_source forgets those.',
  input: z.object({ drawer_id: z.string().min(1) }),
  output: z.looseObject({ success: z.boolean(), drawer_id: z.string(), drawers_removed: z.number() }),
  core: false,
  writes: true,
  destructive: true,
  logged: (_, { drawer_id }) => ({ drawer_id }),
  async run({ drawer_id: given }, call) {
    const { drawerId, filed } = writtenOf(await call.palace(), given);
    const removed = await call.change((palace) => {
      const source = palace.sources.byKey(filed.sourceKey);
      const left = source === undefined ? 0 : palace.removeAll([source]);
      palace.clearTraces();
      return left;
    });
    return { success: true, drawer_id: drawerId, drawers_removed: removed };
  },
});

export const WRITING_TOOLS: readonly Tool[] = [addDrawer, checkpoint, updateDrawer, deleteDrawer];

/** Files drafts in one run. What is filed already is told as such, and costs nothing. */
async function fileAll(drafts: readonly Draft[], addedBy: string | undefined, call: Call) {
  const sanitiser = await call.host.sanitiser();
  const palace = await palaceIfAny(call);
  const settled = [];
  for (const draft of drafts) {
    const { text: clean } = await sanitiser.clean(draft.content);
    const { written, filed } = settle(palace, draft, clean);
    const source = await writtenSource(written, sanitiser);
    settled.push({ source, filed });
  }
  const sources = settled.flatMap(({ source, filed }) => (filed === undefined ? [source] : []));
  const result = sources.length === 0 ? undefined : await call.file({ sources, skipped: [] }, addedBy);
  if (result !== undefined) refuseProblems(result);
  const now = await call.palace();
  return settled.map(({ source: { sourceKey, redacted = {} }, filed }) => ({
    ...filedAs(now, sourceKey),
    ...(filed === undefined ? {} : { reason: 'already_exists' }),
    ...(Object.keys(redacted).length === 0 ? {} : { redacted }),
  }));
}

/** What is filed under a key, as an agent gets to know it. */
function filedAs(palace: Palace, sourceKey: string) {
  return palace.snapshot(() => {
    const filed = palace.sources.byKey(sourceKey);
    if (filed === undefined) throw new Error(`${sourceKey} is not filed`);
    const ids = idsOf(palace, filed.id);
    const [first = ''] = ids;
    return {
      success: true,
      drawer_id: first,
      wing: filed.wing,
      room: filed.room,
      source_file: filed.sourceFile,
      chunks: ids.length,
      ...(ids.length > 1 ? { chunk_ids: ids } : {}),
    };
  });
}

/** @throws UserError `failed` for what the miner did not file */
function refuseProblems({ problems }: MineResult): void {
  const [problem] = problems;
  if (problem === undefined) return;
  const detail = problem.detail === undefined ? '' : `: ${problem.detail}`;
  throw new UserError('failed', `not filed: ${problem.reason}${detail}`, {
    ...(problem.reason === 'forgotten'
      ? { hint: 'its owner had it forgotten; mempalace forget --allow-again lifts that' }
      : {}),
  });
}

/** @throws UserError `usage` for a drawer that a feeder keeps; as `findDrawer` does */
function writtenOf(palace: Palace, id: string): { drawerId: string; filed: FiledSource } {
  const drawer = findDrawer(palace, id);
  const filed = palace.sources.byKey(drawer.sourceKey);
  if (filed !== undefined && isWritten(filed.sourceKey)) return { drawerId: drawer.drawerId, filed };
  throw new UserError(
    'usage',
    `${drawer.drawerId} is part of ${drawer.sourceFile}, which was not written here`,
    {
      hint: 'it changes with its session or document; mempalace_delete_by_source has a whole source forgotten',
    },
  );
}

/** The filed text that each draft is so similar to. */
async function similarTo(drafts: readonly Draft[], threshold: number, call: Call) {
  const palace = await palaceIfAny(call);
  if (palace === undefined) return [];
  const embedder = await call.model.wait(palace.model, call.signal);
  const vectors = await embedder.embed(
    drafts.map((draft) => draft.content),
    'passage',
  );
  return drafts.map((draft, index) => {
    const vector = vectors[index];
    return vector === undefined ? undefined : nearest(palace, vector, draft.content, threshold)[0];
  });
}

async function palaceIfAny(call: Call): Promise<Palace | undefined> {
  try {
    return await call.palace();
  } catch (error) {
    if (error instanceof UserError && error.code === 'not-found') return undefined;
    throw error;
  }
}
