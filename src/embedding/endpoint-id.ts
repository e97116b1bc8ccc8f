import { UserError } from '../core/errors.js';
import { isLoopback } from '../core/loopback.js';
import type { EmbeddingModel } from './model.js';

/** A model behind an OpenAI-compatible server, which receives every embedded text. */
export interface EndpointModel extends EmbeddingModel {
  reach: 'machine' | 'network';
  /** Without the final `/embeddings`. */
  url: string;
  /** The model's name on the server. */
  name: string;
}

/** Prefixes that the model cards of common models require, by the beginning of the name. */
const PREFIXES: readonly [RegExp, EmbeddingModel['prefixes']][] = [
  [/nomic-embed-text/i, { query: 'search_query: ', passage: 'search_document: ' }],
  [/(?:^|[/-])(?:multilingual-)?e5-(?:small|base|large)/i, { query: 'query: ', passage: 'passage: ' }],
  [
    /bge-(?:small|base|large)-en|mxbai-embed-large/i,
    { query: 'Represent this sentence for searching relevant passages: ', passage: '' },
  ],
];

/**
 * The model of an id such as `http://127.0.0.1:11434/v1#nomic-embed-text`. Its `id` has one canonical form (no slash at
 * the end of the URL, host in lower case), so that one endpoint is one model.
 *
 * @returns undefined when the id is not a URL
 * @throws UserError `usage` for a URL without a model, or with a password
 */
export function endpointModel(id: string, dimension: number): EndpointModel | undefined {
  if (!/^https?:/i.test(id)) return undefined;
  const [, address = '', name = ''] = /^([^#]*)#?\s*(.*?)\s*$/s.exec(id) ?? [];
  if (name === '' || !URL.canParse(address)) {
    const shown = id.replace(/\/\/[^/@]*@/, '//…@');
    throw new UserError('usage', `not an endpoint with a model: ${JSON.stringify(shown)}`, {
      hint: 'the form is URL#model, such as http://127.0.0.1:11434/v1#nomic-embed-text',
    });
  }
  const parsed = new URL(address);
  if (parsed.username !== '' || parsed.password !== '' || parsed.search !== '') {
    throw new UserError('usage', 'the URL of an endpoint must not contain a user, password or query', {
      hint: 'the palace records the URL; put a key into $MEMPALACE_API_KEY',
    });
  }
  const url = parsed.href.replace(/\/+$/, '').replace(/\/embeddings$/, '');
  return {
    id: `${url}#${name}`,
    // An endpoint does not report a version: the same name must stay the same model.
    revision: 'endpoint',
    dimension,
    prefixes: PREFIXES.find(([pattern]) => pattern.test(name))?.[1] ?? { query: '', passage: '' },
    reach: isLoopback(parsed.hostname) ? 'machine' : 'network',
    url,
    name,
  };
}

/** True for the id of an endpoint, false for a model of the registry. @throws as `endpointModel` */
export function isEndpoint(id: string): boolean {
  return endpointModel(id, 0) !== undefined;
}
