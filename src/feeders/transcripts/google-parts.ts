import { z } from 'zod';
import type { Part } from './entry.js';

/** The parts of a `Content` of Google's GenAI API, which Gemini CLI and its descendants store. */
const part = z.looseObject({
  text: z.string().optional().catch(undefined),
  thought: z.boolean().optional().catch(undefined),
  functionCall: z
    .looseObject({ id: z.string().optional().catch(undefined), name: z.string().catch('unknown') })
    .optional()
    .catch(undefined),
  functionResponse: z
    .looseObject({ id: z.string().optional().catch(undefined), name: z.string().catch('') })
    .optional()
    .catch(undefined),
});
const media = z.object({ mimeType: z.string().catch('data') });

type Result = Extract<Part, { kind: 'result' }>;

/**
 * A string, a part, or a list of both, as parts of a turn.
 *
 * @param ignored receives the types of parts that are left out
 */
export function googleParts(content: unknown, ignored: string[]): Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }];
  if (Array.isArray(content)) return content.flatMap((each) => googleParts(each, ignored));
  const parsed = part.safeParse(content);
  if (!parsed.success) return [];
  const { text, thought, functionCall, functionResponse } = parsed.data;
  if (text !== undefined) {
    if (text === '') return [];
    return [{ kind: 'text', text: thought === true ? `[reasoning] ${text}` : text }];
  }
  if (functionCall !== undefined) {
    const { id, name, args } = functionCall;
    return [{ kind: 'call', id, name, input: args }];
  }
  if (functionResponse !== undefined) return [resultOf(functionResponse)];
  const found = media.safeParse(parsed.data.inlineData ?? parsed.data.fileData);
  if (found.success) return [{ kind: 'text', text: `[${found.data.mimeType}]` }];
  ignored.push(`${Object.keys(parsed.data)[0] ?? 'empty'} part`);
  return [];
}

const response = z.looseObject({ output: z.unknown().optional(), error: z.unknown().optional() });

function resultOf(given: { id?: string | undefined; name: string; response?: unknown }): Result {
  const parsed = response.safeParse(given.response);
  const { output, error } = parsed.success ? parsed.data : { output: given.response, error: undefined };
  const said = output ?? error ?? given.response ?? '';
  const text = typeof said === 'string' ? said : JSON.stringify(said);
  const failed = error !== undefined && error !== null;
  return { kind: 'result', id: given.id, text, error: failed || failedInShell(given.name, text) };
}

/** A command that ended with another code than 0 is a success to the program; only the output has the code. */
function failedInShell(tool: string, text: string): boolean {
  if (tool !== 'run_shell_command') return false;
  const codes = [...text.matchAll(/^Exit Code: (-?\d+)\s*$/gm)];
  const last = codes.at(-1)?.[1];
  return last !== undefined && last !== '0';
}
