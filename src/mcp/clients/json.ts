import { applyEdits, type JSONPath, modify, type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import { UserError } from '../../common/errors.js';

/**
 * A JSON text, with comments or without, in which the value at a path is another. Everything else stays, character by
 * character.
 *
 * @param value undefined takes it out
 * @throws UserError `config` when it is no JSON object
 */
export function withValue(text: string, path: JSONPath, value: unknown): string {
  const before = parsed(text);
  if (JSON.stringify(at(before, path)) === JSON.stringify(value)) return text;
  const edits = modify(text, path, value, { formattingOptions: formattingOf(text) });
  const after = applyEdits(text, edits);
  return after === '' || after.endsWith('\n') || text.endsWith('}') ? after : `${after}\n`;
}

function at(value: unknown, path: JSONPath): unknown {
  let found = value;
  for (const step of path) {
    if (typeof found !== 'object' || found === null || Array.isArray(found)) return undefined;
    found = (found as Record<string, unknown>)[step];
  }
  return found;
}

function parsed(text: string): unknown {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined) {
    const line = text.slice(0, error.offset).split('\n').length;
    throw new UserError('config', `it is no JSON: ${printParseErrorCode(error.error)} in line ${line}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UserError('config', 'it is no JSON object');
  return value;
}

/** As the text is indented already; two blanks where nothing tells. */
function formattingOf(text: string) {
  const indent = /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  return { insertSpaces: !indent.includes('\t'), tabSize: indent.includes('\t') ? 1 : indent.length, eol };
}
