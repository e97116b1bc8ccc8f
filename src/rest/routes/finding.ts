import { z } from 'zod';
import { drawerDocument, piecesOf, shownAs, sourceDocument } from '../../operations/reading/shown.js';
import { whole } from '../parameters.js';
import { defineRoute } from '../route.js';

const MOST_AROUND = 100;

const show = defineRoute({
  path: '/show',
  command: 'mempalace show',
  summary: 'A whole source, or a drawer',
  query: z.strictObject({
    name: z.string().min(1).describe('id of a drawer; key, session, file or origin of a source'),
    radius: whole(0, MOST_AROUND, 'of a drawer: neighbours on each side').default(0),
  }),
  documents: ['showSource', 'showDrawer'],
  inWing: true,
  async answer({ name, radius }, { service, call }) {
    const found = await shownAs(service, { name, radius }, call);
    if (found.kind === 'drawer') return drawerDocument(found);
    return sourceDocument(found, piecesOf(found, service, call));
  },
});

export const finding = [show];
