import { z } from 'zod';
import { leftOut } from '../../config/settings.js';
import { collectionNotes, searchDocument } from '../../presentation/found.js';
import { wordsAlone } from '../../presentation/nothing-found.js';
import { flag, limit, offset, texts } from '../parameters.js';
import { defineRoute } from '../route.js';

const named = z.string().min(1).describe('of the collection');
const cold = flag('also from cold wings and rooms');

const query = defineRoute({
  path: '/collection/query',
  command: 'mempalace collection query',
  summary: 'Find passages among what belongs to a collection now',
  query: z.strictObject({
    name: named,
    q: z.string().trim().min(1).describe('the question'),
    not: texts('skip passages with these words; may be given more than once'),
    cold,
    limit: limit(1).unwrap().optional(),
    offset,
  }),
  documents: ['search'],
  async answer({ name, q: question, not: excluded, cold, limit, offset }, { service, config, call }) {
    const { rank: ranking, weights, halfLifeDays, by, minScore } = config.search;
    const without = cold === 'true' ? [] : leftOut(config.search.cold, {});
    const asked = { question, excluded, ranking, weights, halfLifeDays, by, minScore, offset };
    const found = await service.findInCollection(
      { name, without, patient: true, ...asked, limit: limit ?? config.search.limit },
      call,
    );
    const notes = [...wordsAlone(found, true), ...collectionNotes(question, found, { offset, minScore })];
    return searchDocument(question, found, notes);
  },
});

export const collecting = [query];
