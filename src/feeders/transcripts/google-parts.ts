import * as field from '../../core/fields.js';
import { type Part, reasoningPart, textPart } from '../../core/parts.js';

/**
 * The parts of a `Content` of Google's GenAI API, as Gemini CLI and its descendants store them.
 *
 * @param content a string, a part, or a list of both
 */
export function googleParts(content: unknown): Part[] {
  if (typeof content === 'string') return content === '' ? [] : [textPart(content)];
  if (Array.isArray(content)) return content.flatMap((each) => googleParts(each));
  const text = field.text(content, 'text');
  if (text === '') return [];
  if (text !== undefined)
    return [field.value(content, 'thought') === true ? reasoningPart(text) : textPart(text)];
  const call = field.object(content, 'functionCall');
  if (call !== undefined) {
    const name = field.text(call, 'name') ?? 'unknown';
    return [{ kind: 'call', id: field.text(call, 'id'), name, input: call.args }];
  }
  const response = field.object(content, 'functionResponse');
  if (response !== undefined) return [resultOf(response)];
  const media = field.object(field.value(content, 'inlineData') ?? field.value(content, 'fileData'));
  return media === undefined ? [] : [textPart(`[${field.text(media, 'mimeType') ?? 'data'}]`)];
}

function resultOf({ id, name, response }: field.Fields): Part {
  const failure = field.value(response, 'error') ?? undefined;
  const said = field.value(response, 'output') ?? failure ?? response ?? '';
  const text = typeof said === 'string' ? said : JSON.stringify(said);
  const error = failure !== undefined || (name === 'run_shell_command' && failedInShell(text));
  return { kind: 'result', id: field.text(id), text, error };
}

/** The program reports every finished command as a success; only the output contains the exit code. */
function failedInShell(text: string): boolean {
  const codes = [...text.matchAll(/^Exit Code: (-?\d+)\s*$/gm)];
  return (codes.at(-1)?.[1] ?? '0') !== '0';
}
