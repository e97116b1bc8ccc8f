import { z } from 'zod';
import { parseDay } from '../../core/moment.js';
import { NOTICE } from '../../core/outside.js';
import { beginningOf } from '../../operations/budget.js';
import { drawerFor, sourceFor, turnsFor } from '../../presentation/drawers.js';
import { count, named, room, text, wing } from '../fields.js';
import { defineTool, type Tool } from '../tool.js';

const PREVIEW_CHARS = 200;

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
  inWing: true,
  async run({ drawer_id: id }, call) {
    const { drawer, content = drawer.text, ids } = await call.service.oneDrawer({ id }, call);
    const { drawer_id: _, ...place } = drawerFor(drawer);
    return {
      drawer_id: drawer.drawerId,
      notice: NOTICE,
      content,
      ...turnsFor(drawer),
      wing: drawer.wing,
      room: drawer.room,
      metadata: { ...sourceFor(drawer), ...place, source_key: drawer.sourceKey, added: drawer.day },
      ...(ids === undefined ? {} : { chunk_ids: ids }),
    };
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
  inWing: true,
  async run({ wing: inWing, room: inRoom, since, before, limit, offset }, call) {
    const now = new Date();
    const filter = {
      wing: inWing,
      room: inRoom,
      since: parseDay('since', since, now),
      until: parseDay('before', before, now),
    };
    const { drawers, total } = await call.service.drawers({ filter, limit, offset }, call);
    return {
      drawers: drawers.map((drawer) => ({
        drawer_id: drawer.drawerId,
        wing: drawer.wing,
        room: drawer.room,
        source_file: drawer.sourceFile,
        date: drawer.day,
        content_preview: preview(drawer.text),
      })),
      total,
      count: drawers.length,
      offset,
      limit,
    };
  },
});

export const DRAWER_TOOLS: readonly Tool[] = [getDrawer, listDrawers];

function preview(content: string): string {
  const beginning = content.slice(0, PREVIEW_CHARS);
  return beginning === content ? content : `${beginningOf(beginning, PREVIEW_CHARS)}…`;
}
