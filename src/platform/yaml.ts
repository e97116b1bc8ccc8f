import { type Document, isScalar, type LineCounter, parseDocument, visit, type YAMLMap } from 'yaml';
import { messageOf, UserError } from '../core/errors.js';

/** Real files have fewer; resolving each costs a walk through the file. */
const MOST_ALIASES = 100;

/** Makes the error for a place in the text, a UTF-16 offset. */
export type FailAt = (offset: number, reason: string) => UserError;

/**
 * Parses an untrusted YAML text: one document, few aliases, any nesting. `lines` receives the lines of the text, for `fail`
 * to name them.
 *
 * @throws UserError from `fail`; with `uniqueKeys`, also for a duplicate key
 */
export function readYaml(
  text: string,
  { lines, fail, uniqueKeys }: { lines: LineCounter; fail: FailAt; uniqueKeys: boolean },
): { document: Document; value: unknown } {
  try {
    const document = parseDocument(text, {
      lineCounter: lines,
      // The parser's own check takes quadratic time in the number of keys.
      uniqueKeys: false,
      prettyErrors: false,
      logLevel: 'error',
    });
    const [error] = document.errors;
    if (error !== undefined) throw fail(error.pos[0], plainReason(error.message));
    let aliases = 0;
    visit(document, {
      Map: (_, map) => {
        const duplicate = uniqueKeys ? duplicateKey(map) : undefined;
        if (duplicate !== undefined) throw fail(duplicate, 'Map keys must be unique');
      },
      Alias: (_, alias) => {
        aliases += 1;
        if (aliases > MOST_ALIASES) throw fail(alias.range?.[0] ?? 0, `more than ${MOST_ALIASES} aliases`);
      },
    });
    return { document, value: document.toJS({ maxAliasCount: MOST_ALIASES }) };
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw fail(0, plainReason(messageOf(error)));
  }
}

function duplicateKey(map: YAMLMap): number | undefined {
  const keys = new Set<unknown>();
  for (const { key } of map.items) {
    if (!isScalar(key)) continue;
    if (keys.has(key.value)) return key.range?.[0] ?? 0;
    keys.add(key.value);
  }
  return undefined;
}

/** The parser overflows the stack on very deep nesting. */
function plainReason(message: string): string {
  if (message.includes('call stack')) return 'nested too deeply';
  if (message.includes('multiple documents')) return 'more than one document (---)';
  return message.split('\n')[0] ?? '';
}
