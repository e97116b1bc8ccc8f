export { type Hit, type SearchOptions, search } from './search.js';
