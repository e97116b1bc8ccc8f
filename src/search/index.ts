/** Search, from question to passages: query → candidates → evidence → rank → group → focus. */

export { linksOf, treeOf } from './connections.js';
export type { Hit } from './group.js';
export { projectsAround } from './here.js';
export { linkedFrom, type Related } from './links.js';
export { type Found, type SearchOptions, search } from './search.js';
