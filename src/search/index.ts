export { type Hit, search } from './search.js';
