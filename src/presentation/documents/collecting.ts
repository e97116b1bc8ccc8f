import { z } from 'zod';
import { drawerFilter } from '../../core/drawer-filter.js';
import { EXPORT_FORMATS } from '../export-formats.js';
import { drawer } from './finding.js';
import { byReason, count, line, moment, notice, share, sourceFields, text } from './words.js';

const COLLECTION = z.literal('mempalace collection');

const collection = z.strictObject({
  name: text,
  query: text.nullable(),
  filter: drawerFilter.strict(),
  limit: line,
  min_score: share,
  added: count,
  excluded: count,
  made_at: moment,
});

/** Collections. */
export const collecting = {
  collectionChanged: z.strictObject({
    command: COLLECTION,
    collection,
    created: z.boolean(),
    redacted: byReason,
  }),
  collectionList: z.strictObject({ notice, collections: z.array(collection) }),
  collectionShow: z.strictObject({
    notice,
    collection,
    drawers: z.array(
      z.strictObject({
        source_key: text,
        ...sourceFields,
        ...drawer,
        added: z.boolean(),
        score: share.nullable(),
      }),
    ),
  }),
  collectionExport: z.strictObject({
    command: COLLECTION,
    to: text,
    format: z.enum(EXPORT_FORMATS),
    drawers: count,
  }),
  collectionDrop: z.strictObject({ command: COLLECTION, dropped: text }),
};
