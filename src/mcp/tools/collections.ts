import { z } from 'zod';
import { leftOut } from '../../config/settings.js';
import { NOTICE } from '../../core/outside.js';
import { didNotFit } from '../../operations/told.js';
import { collectionNotes } from '../../presentation/found.js';
import { wordsAlone } from '../../presentation/nothing-found.js';
import { count, maxTokens, named } from '../fields.js';
import { hitFormat, hitsSchema, hitsWithin } from '../hits-answer.js';
import { defineTool } from '../tool.js';

export const queryCollection = defineTool({
  name: 'mempalace_query_collection',
  title: 'Search in a collection',
  description:
    'As mempalace_search, only among the drawers that belong to a collection now; best first, word for word.',
  input: z.object({
    name: named().describe('of the collection'),
    query: z.string().min(1).max(2_000).describe('the question, in your own words'),
    limit: count(1, 100, 5),
    offset: count(0, 4_000, 0),
    format: hitFormat,
    max_tokens: maxTokens(4_000),
  }),
  output: z.looseObject({ query: z.string(), ...hitsSchema, notes: z.array(z.string()) }),
  set: 'collections',
  async run({ name: of, query: question, limit, offset, format, max_tokens: tokens }, call) {
    const { cold, rank: ranking, weights, halfLifeDays, by, minScore } = call.host.config.search;
    const asked = { question, ranking, weights, halfLifeDays, by, minScore, limit, offset };
    const found = await call.service.findInCollection(
      { name: of, without: leftOut(cold, {}), patient: false, ...asked },
      call,
    );
    const notes = [...wordsAlone(found, false), ...collectionNotes(question, found, { offset, minScore })];
    const wanted = { format, tokens, question };
    const { count, left, ...shown } = hitsWithin(found, wanted, { question, notes, NOTICE });
    if (left > 0) notes.push(didNotFit(left, offset + count));
    return { collection: of, query: question, notice: NOTICE, ...shown, notes };
  },
});
