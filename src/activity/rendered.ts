import { parseJson } from '../core/json.js';
import { toolName } from './fields.js';

/**
 * Reads the text of a call as a filed transcript contains it: `[tool bash] ls -la`, then further arguments as
 * `name: value` lines. It is the inverse of what the miner writes, as far as the meaning of a call needs it.
 */

interface RenderedCall {
  name: string;
  input: unknown;
}

/** Tools whose first text is a command, or the action of an editor; of all others, it names a file. */
const COMMANDED = /shell|bash|powershell|^cmd$|exec|command|^strreplace(?:basededittool|editor)$/;
/** Tools whose input is read as a whole. */
const WHOLE = /^(?:exec|applypatch|patch)$/;
const FIELD = /^([A-Za-z_][\w.]{0,60}):(?: (.*))?$/;
/** Further arguments of tools that run commands. They follow the command, where it has several lines. */
const COMMAND_EXTRA =
  /^(?:description|timeout(?:_ms)?|run_in_background|is_background|workdir|yield_time_ms|max_output_tokens|justification|login|mode|initial_wait|dangerouslyDisableSandbox): .*$/;

export function renderedCall(text: string): RenderedCall {
  const end = text.indexOf(']');
  const name = text.slice('[tool '.length, end);
  const rest = text.slice(end + 1);
  const tool = toolName(name);
  if (WHOLE.test(tool)) return { name, input: rest.trimStart() };
  const isCommand = COMMANDED.test(tool);
  const main = isCommand ? 'command' : 'path';
  if (rest.startsWith(' ')) {
    const line = rest.indexOf('\n');
    const value = rest.slice(1, line === -1 ? undefined : line);
    const fields = line === -1 ? {} : fieldsOf(rest.slice(line + 1));
    // Of `cmd`, the first line is a description.
    return { name, input: fields.cmd === undefined ? { ...fields, [main]: value } : fields };
  }
  const lines = rest.slice(1);
  const first = lines.slice(0, Math.max(0, lines.indexOf('\n')) || undefined);
  if (FIELD.test(first) || !isCommand) return { name, input: fieldsOf(lines) };
  return { name, input: { command: withoutExtras(lines) } };
}

/** Up to the first value of several lines, which may contain lines that look like arguments. */
function fieldsOf(lines: string): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  const list: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const feed = lines.indexOf('\n', at);
    const end = feed === -1 ? lines.length : feed;
    const [, key = '', value] = FIELD.exec(lines.slice(at, end)) ?? [];
    if (key === '') break;
    const isLast = value === undefined;
    const whole = isLast ? withoutExtras(lines.slice(end + 1)) : value;
    if (/^command\.\d+$/.test(key)) list.push(whole);
    else if (!Object.hasOwn(fields, key)) fields[key] = listOf(whole) ?? whole;
    if (isLast) break;
    at = end + 1;
  }
  return list.length === 0 ? fields : { ...fields, command: list };
}

function listOf(value: string): unknown[] | undefined {
  if (!value.startsWith('[') || !value.endsWith(']')) return undefined;
  const list = parseJson(value);
  return Array.isArray(list) ? list : undefined;
}

function withoutExtras(command: string): string {
  let text = command;
  for (let at = text.lastIndexOf('\n'); at !== -1; at = text.lastIndexOf('\n')) {
    if (!COMMAND_EXTRA.test(text.slice(at + 1))) break;
    text = text.slice(0, at);
  }
  return text;
}
