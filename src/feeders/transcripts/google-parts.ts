import { z } from 'zod';
import { type Part, reasoningPart, textPart } from '../../core/parts.js';
import { maybe, optionalText } from './schemas.js';

/** The parts of a `Content` of Google's GenAI API, as Gemini CLI and its descendants store them. */
const part = z.looseObject({
  text: optionalText,
  thought: maybe(z.boolean()),
  functionCall: maybe(z.looseObject({ id: optionalText, name: z.string().catch('unknown') })),
  functionResponse: maybe(z.looseObject({ id: optionalText, name: z.string().catch('') })),
});
const media = z.object({ mimeType: z.string().catch('data') });
const response = z.looseObject({ output: z.unknown().optional(), error: z.unknown().optional() });

/** Converts a string, a part, or a list of both. */
export function googleParts(content: unknown): Part[] {
  if (typeof content === 'string') return content === '' ? [] : [textPart(content)];
  if (Array.isArray(content)) return content.flatMap((each) => googleParts(each));
  const { data } = part.safeParse(content);
  if (data === undefined) return [];
  const { text, thought, functionCall, functionResponse } = data;
  if (text !== undefined) {
    if (text === '') return [];
    return [thought === true ? reasoningPart(text) : textPart(text)];
  }
  if (functionCall !== undefined) {
    const { id, name, args: input } = functionCall;
    return [{ kind: 'call', id, name, input }];
  }
  if (functionResponse !== undefined) return [resultOf(functionResponse)];
  const attached = media.safeParse(data.inlineData ?? data.fileData).data;
  return attached === undefined ? [] : [textPart(`[${attached.mimeType}]`)];
}

function resultOf(given: { id?: string | undefined; name: string; response?: unknown }): Part {
  const { output, error } = response.safeParse(given.response).data ?? {};
  const said = output ?? error ?? given.response ?? '';
  const text = typeof said === 'string' ? said : JSON.stringify(said);
  const failed = error !== undefined && error !== null;
  return { kind: 'result', id: given.id, text, error: failed || failedInShell(given.name, text) };
}

/** The program reports every finished command as a success; only the output contains the exit code. */
function failedInShell(tool: string, text: string): boolean {
  const codes = tool === 'run_shell_command' ? [...text.matchAll(/^Exit Code: (-?\d+)\s*$/gm)] : [];
  return (codes.at(-1)?.[1] ?? '0') !== '0';
}
