import { z } from 'zod';
import { UserError } from '../../core/errors.js';
import { parseDay } from '../../core/moment.js';
import { NOTICE } from '../../core/outside.js';
import { textKey } from '../../embedding/index.js';
import { drawerFor, present, sourceFor, turnsFor } from '../../presentation/drawers.js';
import { findTarget } from '../../reading/index.js';
import { type DrawerView, ModelChanged, type Palace } from '../../store/index.js';
import { beginningOf } from '../budget.js';
import { count, named, room, round, text, wing } from '../fields.js';
import { isWritten } from '../file-drawers.js';
import { type Call, defineTool, type Tool } from '../tool.js';

const PREVIEW_CHARS = 200;
const MATCHES_SHOWN = 5;
/** Ids of one text's drawers in an answer, at most. */
export const IDS_SHOWN = 20;
/** Longest text that is filed, UTF-16 units. */
export const CONTENT_CHARS = 100_000;

const getDrawer = defineTool({
  name: 'mempalace_get_drawer',
  title: 'One drawer with all its fields',
  description:
    'The whole text of one drawer and its source. For a text filed by add_drawer: all of it, across its drawers.',
  input: z.object({ drawer_id: named() }),
  output: z.looseObject({
    drawer_id: z.string(),
    content: z.string(),
    wing: z.string(),
    room: z.string(),
    metadata: z.looseObject({}),
  }),
  async run({ drawer_id: id }, call) {
    const palace = await call.palace();
    return palace.snapshot(() => {
      const drawer = drawerOf(palace, id);
      const whole = isWritten(drawer.sourceKey) ? palace.sources.textOf(drawer.sourceId) : drawer.text;
      const { drawer_id: _, ...place } = drawerFor(drawer);
      return {
        drawer_id: drawer.drawerId,
        notice: NOTICE,
        content: whole,
        ...turnsFor(palace, drawer),
        wing: drawer.wing,
        room: drawer.room,
        metadata: { ...sourceFor(drawer), ...place, source_key: drawer.sourceKey, added: drawer.day },
        ...(whole === drawer.text ? {} : { chunk_ids: idsOf(palace, drawer.sourceId).slice(0, IDS_SHOWN) }),
      };
    });
  },
});

const listDrawers = defineTool({
  name: 'mempalace_list_drawers',
  title: 'Drawers, page by page',
  description: 'Drawers of a wing or room with the beginning of their texts, newest first.',
  input: z.object({
    wing,
    room,
    since: text('not older: 2026-03-01, 3d, 2w'),
    before: text('not newer'),
    limit: count(1, 100, 20),
    offset: count(0, 10_000_000, 0),
  }),
  output: z.looseObject({
    drawers: z.array(z.looseObject({ drawer_id: z.string(), content_preview: z.string() })),
    total: z.number(),
    count: z.number(),
    offset: z.number(),
    limit: z.number(),
  }),
  async run({ wing: inWing, room: inRoom, since, before, limit, offset }, call) {
    const palace = await call.palace();
    const now = new Date();
    const filter = {
      wing: inWing,
      room: inRoom,
      since: parseDay('since', since, now),
      until: parseDay('before', before, now),
    };
    return palace.snapshot(() => {
      const drawers = palace.listing.drawers(filter, { limit, offset });
      return {
        drawers: drawers.map((drawer) => ({
          drawer_id: drawer.drawerId,
          wing: drawer.wing,
          room: drawer.room,
          source_file: drawer.sourceFile,
          date: drawer.day,
          content_preview: preview(drawer.text),
        })),
        total: palace.listing.countDrawers(filter),
        count: drawers.length,
        offset,
        limit,
      };
    });
  },
});

const checkDuplicate = defineTool({
  name: 'mempalace_check_duplicate',
  title: 'Is this filed already?',
  description:
    'Whether the palace contains a text already, exactly or nearly. Use it before add_drawer when unsure.',
  input: z.object({
    content: z.string().min(1).max(CONTENT_CHARS),
    threshold: z.coerce.number().min(0).max(1).default(0.9).describe('similarity from which it counts'),
  }),
  output: z.looseObject({
    is_duplicate: z.boolean(),
    matches: z.array(z.looseObject({ id: z.string(), similarity: z.number(), content: z.string() })),
  }),
  core: true,
  async run({ content, threshold }, call) {
    const palace = await call.palace();
    const [matches = []] = await similarTo(palace, [content], threshold, call);
    return { is_duplicate: matches.length > 0, matches };
  },
});

export const DRAWER_TOOLS: readonly Tool[] = [getDrawer, listDrawers, checkDuplicate];

/** Finds a drawer by its id, or by its id before an import. Throws as `findTarget` does. */
function drawerOf(palace: Palace, id: string): DrawerView {
  const target = findTarget(palace, id);
  if (target.kind === 'drawer') return target.drawer;
  throw new UserError('usage', `${JSON.stringify(id)} is a source, not a drawer`, {
    hint: 'mempalace_show reads a whole source',
  });
}

/** Per text the most similar drawers above the threshold. The same text, white space aside, is 1. */
export async function similarTo(palace: Palace, texts: string[], threshold: number, call: Call) {
  for (;;) {
    const embedder = await call.model.wait(palace.model, call.signal);
    try {
      const vectors = await embedder.embed(texts, 'passage');
      return palace.snapshot(() => {
        palace.vectors.requireModel(embedder.model);
        return texts.map((text, index) => nearest(palace, vectors[index], textKey(text), threshold));
      });
    } catch (error) {
      if (!(error instanceof ModelChanged)) throw error;
      call.signal.throwIfAborted();
    }
  }
}

function nearest(palace: Palace, vector: Float32Array | undefined, key: Buffer, threshold: number) {
  if (vector === undefined) return [];
  // It may have no vector yet.
  const same = palace.vectors.slotOf(key);
  const others = palace.vectors.nearest(vector, MATCHES_SHOWN).filter(({ vectorId }) => vectorId !== same);
  return [...(same === undefined ? [] : [{ vectorId: same, cosine: 1 }]), ...others]
    .flatMap(({ vectorId, cosine }) =>
      palace.reading.drawersByVector(vectorId, MATCHES_SHOWN).map((drawer) => match(drawer, cosine)),
    )
    .filter(({ similarity }) => similarity >= threshold)
    .slice(0, MATCHES_SHOWN);
}

function match(drawer: DrawerView, cosine: number) {
  return {
    id: drawer.drawerId,
    ...present({ title: drawer.title, source_file: drawer.sourceFile }),
    wing: drawer.wing,
    room: drawer.room,
    similarity: round(Math.min(1, Math.max(0, cosine))),
    content: preview(drawer.text),
  };
}

function preview(content: string): string {
  const beginning = content.slice(0, PREVIEW_CHARS);
  return beginning === content ? content : `${beginningOf(beginning, PREVIEW_CHARS)}…`;
}

export function idsOf(palace: Palace, sourceId: number): string[] {
  const { drawers = 0 } = palace.reading.source(sourceId) ?? {};
  return palace.reading.drawersBetween(sourceId, 0, drawers).map((drawer) => drawer.drawerId);
}
