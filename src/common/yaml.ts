import { type Document, type LineCounter, parseDocument, visit } from 'yaml';
import { messageOf, UserError } from './errors.js';

/** A file with more says the same with less; resolving each costs a walk through the file. */
const MOST_ALIASES = 100;

/** Makes the error for a place in the text, a UTF-16 offset. */
export type FailAt = (offset: number, reason: string) => UserError;

/**
 * Parses a YAML text that people or strangers wrote: one document, few aliases, any nesting.
 *
 * @param lines fills with the lines of the text, for `fail` to name them
 * @param uniqueKeys whether a doubled key is an error, which takes quadratic time in the number of keys
 * @throws UserError what `fail` makes
 */
export function readYaml(
  text: string,
  { lines, fail, uniqueKeys }: { lines: LineCounter; fail: FailAt; uniqueKeys: boolean },
): { document: Document; value: unknown } {
  try {
    const document = parseDocument(text, {
      lineCounter: lines,
      uniqueKeys,
      prettyErrors: false,
      logLevel: 'error',
    });
    const [error] = document.errors;
    if (error !== undefined) throw fail(error.pos[0], plainReason(error.message));
    let aliases = 0;
    visit(document, {
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

/** The parser runs out of stack on what is nested without end. */
function plainReason(message: string): string {
  if (message.includes('call stack')) return 'nested too deeply';
  if (message.includes('multiple documents')) return 'more than one document (---)';
  return message.split('\n')[0] ?? '';
}
