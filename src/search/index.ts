/** From a question to passages: query → candidates → scores → hits. */
export type { Hit } from './focus.js';
export { GROUPINGS, type Grouping } from './group.js';
export { RANKINGS, type Ranked, type Ranking } from './rank.js';
export { DEFAULT_HALF_LIFE_DAYS, DEFAULT_WEIGHTS, type SearchOptions, search } from './search.js';
