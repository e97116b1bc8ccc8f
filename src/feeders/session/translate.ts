import { isRecord } from '../../core/json.js';

/** A message of opencode 2 in the form of 1.x: the JSON of its message row, and of the rows of its parts. */
export interface Translated {
  message: Record<string, unknown>;
  parts: Record<string, unknown>[];
}

type Fields = Record<string, unknown>;

/** Types without words of the user or the agent: the program's own notes, and the end of a turn. */
const SILENT_TYPES: readonly string[] = [
  'synthetic',
  'system',
  'skill',
  'agent-switched',
  'model-switched',
  'location-switched',
  'idle',
  // Of waiting entries.
  'move',
];

export const KNOWN_TYPES: readonly string[] = ['user', 'assistant', 'shell', 'compaction', ...SILENT_TYPES];

/**
 * A message of the table `session_message`. Blobs of providers are left out. What has an unknown form stays as it is, so
 * that it is reported as a part of 1.x of unknown form would be.
 *
 * @param data the JSON of the row, which contains neither id nor type
 */
export function translate(type: string, data: unknown): Translated {
  const fields: Fields = isRecord(data) ? data : { text: data };
  if (SILENT_TYPES.includes(type)) return { message: { role: 'user' }, parts: [] };
  switch (type) {
    case 'user':
      return { message: { role: 'user' }, parts: userParts(fields) };
    case 'assistant':
      return { message: assistant(fields), parts: contentParts(fields) };
    case 'shell':
      return { message: { role: 'assistant' }, parts: [shellPart(fields)] };
    case 'compaction':
      return compaction(fields);
    default:
      return { message: { role: type }, parts: [{ ...fields, type: `message ${type}` }] };
  }
}

function userParts(fields: Fields): Fields[] {
  const { text, prompt, content, files } = fields;
  const inner = isRecord(prompt) ? prompt : {};
  const said = [text, inner.text, prompt].find((each) => typeof each === 'string');
  const attached = filesOf(files ?? inner.files).map((file) => ({ type: 'file', ...file }));
  if (said !== undefined) return [{ type: 'text', text: said }, ...attached];
  if (Array.isArray(content)) return [...content.map(contentPart), ...attached];
  return attached.length > 0 ? attached : [{ type: 'text', text }];
}

function assistant({ model, modelID, error }: Fields): Fields {
  const named = isRecord(model) ? (model.id ?? model.modelID) : (model ?? modelID);
  return { role: 'assistant', modelID: named, ...errorOf(error) };
}

function errorOf(error: unknown): { error?: Fields } {
  if (!isRecord(error)) return {};
  const { type, name, message } = error;
  const kind = String(type ?? name ?? 'Error');
  return { error: { name: /abort|interrupt/i.test(kind) ? 'MessageAbortedError' : kind, message } };
}

function contentParts({ content, text }: Fields): Fields[] {
  if (Array.isArray(content)) return content.map(contentPart);
  const said = content ?? text;
  return said === undefined || said === null ? [] : [{ type: 'text', text: said }];
}

function contentPart(part: unknown): Fields {
  if (!isRecord(part)) return { type: 'text', text: part };
  const { type, text, id, name, state } = part;
  if (type === 'text' || type === 'reasoning') return { type, text };
  if (type === 'tool') return { type, tool: name, callID: id, state: toolState(state) };
  if (type === 'file') return { type, ...fileOf(part) };
  return part;
}

function toolState(state: unknown): unknown {
  if (!isRecord(state)) return state;
  const { status, input, content, metadata, error, output } = state;
  const items: unknown[] = Array.isArray(content) ? content : [output ?? content];
  const texts = items.flatMap((item) => (isRecord(item) && item.type !== 'text' ? [] : (textOf(item) ?? [])));
  const said = texts.join('\n');
  const attachments = filesOf(items.filter((item) => isRecord(item) && item.type === 'file'));
  const all = { status, input, attachments, metadata };
  switch (status) {
    case 'streaming':
      return { status: 'pending', ...(typeof input === 'string' ? { raw: input } : { input }) };
    case 'running':
      return { ...all, metadata: { output: said } };
    case 'completed':
      return { ...all, output: said };
    case 'error':
      return { ...all, error: [said, textOf(error)].filter(Boolean).join('\n') };
    default:
      return { ...all, output: said, error: textOf(error) };
  }
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (!isRecord(value)) return undefined;
  return [value.text, value.message, value.type].find((each) => typeof each === 'string');
}

function filesOf(files: unknown): Fields[] {
  return Array.isArray(files) ? files.filter(isRecord).map(fileOf) : [];
}

function fileOf({ name, filename, mime, uri, url }: Fields): Fields {
  return { filename: name ?? filename, mime, url: uri ?? url };
}

/** A command that the user ran, as 1.x stores it: a call of `bash` without words. */
function shellPart({ command, status, exit, output, shellID }: Fields): Fields {
  const { output: said = '', truncated } = isRecord(output) ? output : { output };
  const ended =
    status === 'timeout' || status === 'killed'
      ? `[${status}]`
      : typeof exit === 'number' && exit !== 0
        ? `Command exited with code ${exit}.`
        : '';
  const text = [typeof said === 'string' ? said.replace(/\n$/, '') : '', ended].filter(Boolean).join('\n');
  const state =
    status === 'running'
      ? { status: 'running', metadata: { output: text } }
      : { status: 'completed', output: text, metadata: { truncated } };
  return { type: 'tool', tool: 'bash', callID: shellID, state: { ...state, input: { command } } };
}

function compaction({ status, summary, text, error }: Fields): Translated {
  const isDone = status === 'completed' || status === undefined;
  const parts = isDone ? [{ type: 'text', text: summary ?? text }] : [];
  return {
    message: { role: 'assistant', summary: true, ...(status === 'failed' ? errorOf(error) : {}) },
    parts,
  };
}
