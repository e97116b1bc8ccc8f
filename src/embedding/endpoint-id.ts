import { UserError } from '../core/errors.js';
import type { EmbeddingModel } from './model.js';

/** A model behind an OpenAI-compatible server, which gets every text that is embedded. */
export interface EndpointModel extends EmbeddingModel {
  reach: 'machine' | 'network';
  /** Without the final `/embeddings`. */
  url: string;
  /** What the server calls the model. */
  name: string;
}

/** An endpoint does not say which version of a model it runs: the same name must stay the same model. */
const REVISION = 'endpoint';

/** Prefixes that the cards of models ask for which such servers often run, by the beginning of the name. */
const PREFIXES: readonly [RegExp, EmbeddingModel['prefixes']][] = [
  [/nomic-embed-text/i, { query: 'search_query: ', passage: 'search_document: ' }],
  [/(?:^|[/-])(?:multilingual-)?e5-(?:small|base|large)/i, { query: 'query: ', passage: 'passage: ' }],
  [
    /bge-(?:small|base|large)-en|mxbai-embed-large/i,
    { query: 'Represent this sentence for searching relevant passages: ', passage: '' },
  ],
];

/**
 * The model that an id such as `http://127.0.0.1:11434/v1#nomic-embed-text` names. Its `id` is the canonical
 * spelling (no slash at the end of the URL, host in lower case), so that one endpoint is one model.
 *
 * @returns undefined when the id is no URL at all
 * @throws UserError `usage` when it is one, but names no model, or carries a password
 */
export function endpointModel(id: string, dimension: number): EndpointModel | undefined {
  if (!/^https?:/i.test(id)) return undefined;
  const at = id.indexOf('#');
  const name = at === -1 ? '' : id.slice(at + 1).trim();
  const address = at === -1 ? id : id.slice(0, at);
  if (name === '' || !URL.canParse(address)) {
    throw new UserError('usage', `not an endpoint with a model: ${JSON.stringify(withoutPassword(id))}`, {
      hint: 'the form is URL#model, such as http://127.0.0.1:11434/v1#nomic-embed-text',
    });
  }
  const parsed = new URL(address);
  if (parsed.username !== '' || parsed.password !== '' || parsed.search !== '') {
    throw new UserError('usage', 'the URL of an endpoint carries no user, password or query', {
      hint: 'the palace records the URL; put a key into $MEMPALACE_API_KEY',
    });
  }
  const url = parsed.href.replace(/\/+$/, '').replace(/\/embeddings$/, '');
  return {
    id: `${url}#${name}`,
    revision: REVISION,
    dimension,
    prefixes: PREFIXES.find(([pattern]) => pattern.test(name))?.[1] ?? { query: '', passage: '' },
    reach: isLoopback(parsed.hostname) ? 'machine' : 'network',
    url,
    name,
  };
}

/**
 * True for ids that name a server instead of a model of the registry.
 *
 * @throws UserError `usage` like `endpointModel`
 */
export function isEndpoint(id: string): boolean {
  return endpointModel(id, 0) !== undefined;
}

/** True for addresses that never leave this machine. */
export function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  return (
    host === 'localhost' || host.endsWith('.localhost') || host === '::1' || /^127(?:\.\d+){3}$/.test(host)
  );
}

function withoutPassword(id: string): string {
  return id.replace(/\/\/[^/@]*@/, '//…@');
}
