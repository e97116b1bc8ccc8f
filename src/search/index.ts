/** From a question to passages: query → candidates → scores → hits. */
export { GROUPINGS, type Grouping, type Hit } from './group.js';
export { RANKINGS, type Ranked, type Ranking } from './rank.js';
export { DEFAULT_HALF_LIFE_DAYS, DEFAULT_WEIGHTS, type SearchOptions, search } from './search.js';
