/** Search, from question to passages: query → candidates → evidence → rank → group → focus. */

export type { Hit } from './group.js';
export { projectsAround } from './here.js';
export { linkedFrom, type Related } from './links.js';
export { parseQuery } from './query.js';
export type { Ranked } from './rank.js';
export { type Found, type SearchOptions, search } from './search.js';
