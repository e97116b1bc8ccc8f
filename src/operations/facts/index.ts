/** Facts: the knowledge graph. */
import { changes } from './changes.js';
import { questions } from './questions.js';

export const facts = { ...changes, ...questions };
