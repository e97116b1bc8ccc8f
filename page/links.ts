/** Where the links of a document lead, as they are in the Markdown of the page: encoded, and each in any spelling. */
import { pathOfKey } from '../src/core/source-key.js';

interface Linking {
  source_key: string;
}

/** Finds the key of the document that an address leads to. */
export function linkedFrom(
  from: Linking,
  documents: readonly (Linking & { link: string })[],
): (href: string) => string | undefined {
  const own = pathOfKey(from.source_key).split('/').map(encodeURIComponent).join('/');
  const pathOf = (href: string): string | undefined => {
    if (/^(?:[a-z][a-z\d+.-]*:|[/\\]{2})/i.test(href)) return undefined;
    return folded(decoded(new URL(href, `http://project/${own}`).pathname.slice(1)));
  };
  const keys = new Map<string | undefined, string>();
  // A link may leave out the extension; what is written in full is meant first.
  for (const { source_key } of documents)
    keys.set(folded(pathOfKey(source_key)).replace(/(?<=[^/])\.[^./]+$/, ''), source_key);
  for (const { link, source_key } of documents) keys.set(pathOf(link), source_key);
  for (const { source_key } of documents) keys.set(folded(pathOfKey(source_key)), source_key);
  return (href) => {
    const path = pathOf(href);
    return path === undefined ? undefined : keys.get(path);
  };
}

const folded = (path: string): string => path.normalize('NFC').toLowerCase();

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
