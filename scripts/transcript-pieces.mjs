// The texts that transcripts contain, found without the readers in src: each function walks over the raw records of one
// program and knows nothing of replay, order or keys of sources.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/**
 * @typedef {{ key?: string, text: string, file: string }} Piece
 *   A text of a transcript. Pieces of one key are copies of one message, which is filed once. A piece without a key must
 *   be filed, however often.
 */

/** By program: which files are its transcripts, and the pieces of one. */
const PROGRAMS = {
  'claude-code': { files: /\.jsonl$/, pieces: claudeCode },
  codex: { files: /rollout-.*\.jsonl$/, pieces: codex },
  copilot: { files: /events\.jsonl$/, pieces: (file) => records(file).flatMap(copilot) },
  gemini: { files: /\.jsonl$|session-[^/]*\.json$/, pieces: (file) => records(file).flatMap(gemini) },
  'kimi-code': { files: /wire\.jsonl$/, pieces: (file) => records(file).flatMap(kimiCode) },
  pi: { files: /\.jsonl$/, pieces: (file) => records(file).flatMap(pi) },
  qwen: { files: /projects\/.*\.jsonl$/, pieces: (file) => records(file).flatMap(qwen) },
};

export const COMPARED = Object.keys(PROGRAMS);

/** All pieces of the transcripts below a folder. @returns {Piece[]} */
export function piecesOf(harness, folder) {
  const program = PROGRAMS[harness];
  if (program === undefined) throw new Error(`not compared: ${harness}; compared are ${COMPARED.join(', ')}`);
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => program.files.test(name.replaceAll('\\', '/')))
    .sort()
    .flatMap((name) => program.pieces(join(folder, name)).map((piece) => ({ ...piece, file: name })));
}

/** Records of a file: lines of JSON, or one value. */
function records(file) {
  const text = readFileSync(file, 'utf8');
  const values = text.startsWith('{\n') ? [text] : text.split('\n');
  return values.flatMap((value) => {
    try {
      return value.trim() === '' ? [] : [JSON.parse(value)];
    } catch {
      return [];
    }
  });
}

/** The values at a path of keys; lists are walked through. */
function at(value, ...keys) {
  if (Array.isArray(value)) return value.flatMap((each) => at(each, ...keys));
  const [key, ...rest] = keys;
  if (key === undefined) return [value];
  return value?.[key] === undefined ? [] : at(value[key], ...rest);
}

/** Every string in a value, at any depth. */
function strings(value) {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(strings);
}

const keyed = (id, texts) => texts.map((text, place) => ({ key: id && `${id} ${place} ${text}`, text }));
const unkeyed = (texts) => texts.map((text) => ({ text }));
/** Calls and results are in several places of a log. */
const anywhere = (value) => unkeyed(strings(value));

/** Texts of a content (a string or blocks): messages, calls and results. */
function blockTexts(content) {
  if (typeof content === 'string') return [content];
  if (!Array.isArray(content)) return [];
  return content.flatMap((block) => {
    if (typeof block?.text === 'string') return [block.text];
    if (typeof block?.thinking === 'string') return [block.thinking];
    if (block?.input !== undefined) return strings(block.input);
    if (block?.type === 'toolCall') return strings(block.arguments);
    if (block?.content !== undefined) return blockTexts(block.content);
    return [];
  });
}

function claudeCode(file) {
  const pieces = [];
  const all = records(file);
  if (
    basename(file).startsWith('agent-') &&
    all.every(({ type, message }) => type !== 'user' || message.content === 'Warmup')
  )
    return [];
  const seen = new Map();
  for (const record of all) {
    const { type, uuid, version = '', message, attachment, isMeta, toolUseResult } = record;
    let texts = [];
    if (type === 'user' || type === 'assistant') texts = blockTexts(message?.content);
    if (type === 'attachment' && attachment?.type === 'queued_command') texts = blockTexts(attachment.prompt);
    if (type === 'system' && record.subtype === 'local_command') texts = [record.content];
    if (isMeta === true && texts.every((text) => text.startsWith('<'))) continue;
    const [shown = ''] = texts;
    if (shown.includes('<persisted-output>') && typeof toolUseResult?.stdout === 'string')
      texts = [toolUseResult.stdout];
    for (const [place, text] of texts.flatMap(withoutTags).entries()) {
      // Before 2.0 a resumed session is a copy with other ids; messages of the same time are the same message.
      const said = `${message?.id ?? 'user'} ${text}`;
      seen.set(said, (seen.get(said) ?? 0) + 1);
      const key = /^[01]\./.test(version) ? `${said} ${seen.get(said)}` : `${uuid} ${place}`;
      pieces.push({ key, text });
    }
  }
  return pieces;
}

/** The text of Claude Code's command elements, without background tasks. */
function withoutTags(text) {
  if (/^\s*(?:Caveat: The messages below|<task-notification>)/.test(text)) return [];
  if (/^\s*<command-/.test(text)) return [/<command-args>([\s\S]*?)<\/command-args>/.exec(text)?.[1] ?? ''];
  return text.replace(/<\/?(?:local-command|bash)-std(?:out|err)>/g, '\n').split('\n\n\n');
}

/** Codex's own text with the role of the user, and before results. */
const CODEX_WORDS =
  /^\s*(?:# AGENTS\.md instructions|Warning: apply_patch was requested|<(?:environment_context|user_instructions|turn_aborted|subagent_notification)\b)|^Script (?:completed|failed|running)[\s\S]*\nOutput:\n$/;
const CODEX_SUMMARY = /^Another language model started to solve this problem[\s\S]*?\n(?=\S*COMPACT)/;

function codex(file) {
  const all = records(file);
  const meta = all.find(({ type }) => type === 'session_meta')?.payload ?? {};
  // A fork copies the history of its original; messages of the same time are the same message.
  const family = meta.forked_from_id ?? meta.id;
  const seen = new Map();
  return all.flatMap(({ type, payload }) => {
    const { item } = payload;
    if (item?.type === 'CommandExecution' && item.source !== 'user_shell')
      return anywhere(item.aggregated_output);
    if (type === 'compacted') return anywhere(payload.message.replace(CODEX_SUMMARY, ''));
    if (type !== 'response_item') return [];
    if (payload.type === 'agent_message')
      return anywhere(
        blockTexts(payload.content).map((text) => text.replace(/^Message Type: [\s\S]*\nPayload:\n/, '')),
      );
    if (payload.type === 'reasoning') return anywhere(blockTexts(payload.summary ?? []));
    if (payload.type.endsWith('_call'))
      return anywhere(jsonOr(payload.arguments) ?? payload.input ?? payload.action);
    if (payload.type.endsWith('_output')) return anywhere(blockTexts(payload.output).filter(isSaid));
    if (payload.type !== 'message' || payload.role === 'developer') return [];
    return blockTexts(payload.content)
      .filter(isSaid)
      .flatMap((text) => typedInShell(text) ?? [text])
      .map((text) => {
        const said = `${family} ${payload.role} ${text}`;
        seen.set(said, (seen.get(said) ?? 0) + 1);
        return { key: `${said} ${seen.get(said)}`, text };
      });
  });
}

const isSaid = (text) => !CODEX_WORDS.test(text);

function jsonOr(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A command that the user ran with `!`, and its output. */
function typedInShell(text) {
  const found =
    /<user_shell_command>\s*<command>\s*([\s\S]*?)\s*<\/command>[\s\S]*?Output:\s*([\s\S]*?)\s*<\/result>/.exec(
      text,
    );
  return found?.slice(1);
}

function pi({ type, id, timestamp, message, summary, content }) {
  const said = (texts) => keyed(`${id} ${timestamp}`, texts);
  if (type === 'compaction' || type === 'branch_summary') return said([summary]);
  if (type === 'custom_message') return said(blockTexts(content));
  if (type !== 'message' || message.role === 'system' || message.excludeFromContext === true) return [];
  if (message.role === 'bashExecution') return anywhere([message.command, message.output]);
  const texts = blockTexts(message.content)
    .filter(isSaid)
    .map((text) => text.replace(/^<skill [\s\S]*<\/skill>/, ''));
  if (message.role === 'toolResult') return anywhere(texts);
  return [...said(texts), ...anywhere(message.errorMessage)];
}

/** Gemini's and Qwen's form of a content. */
function googleParts(parts, id) {
  if (typeof parts === 'string') return keyed(id, [parts]);
  return [
    ...keyed(id, at(parts, 'text')),
    ...anywhere(at(parts, 'functionCall', 'args')),
    ...anywhere(at(parts, 'functionResponse', 'response')),
  ];
}

function qwen({ uuid, message, systemPayload }) {
  return [...googleParts(message?.parts, uuid), ...anywhere(at(systemPayload, 'uiEvent', 'error_message'))];
}

/** Gemini CLI's own text: at the start, and after a compression. */
const GEMINI_WORDS = /^\s*<session_context>|^Got it\. Thanks for the additional context!$/;

function gemini(record) {
  // A list that repeats messages gives them new ids.
  const repeated = at(record, '$set', 'messages').flatMap(gemini);
  if (repeated.length > 0) return unkeyed(repeated.map(({ text }) => text));
  const listed = at(record, 'messages').flatMap(gemini);
  if (listed.length > 0) return listed;
  if (!['user', 'gemini', 'error'].includes(record.type)) return [];
  return [
    ...googleParts(record.content, record.id).filter(({ text }) => !GEMINI_WORDS.test(text)),
    ...anywhere([...at(record, 'thoughts', 'subject'), ...at(record, 'thoughts', 'description')]),
    ...anywhere(at(record, 'toolCalls', 'args')),
    ...at(record, 'toolCalls', 'result').flatMap((result) =>
      unkeyed(googleParts([result], '').map(({ text }) => text)),
    ),
  ];
}

/** The text that Kimi Code puts before the task of an agent. */
const KIMI_WORDS = /^<git-context [^>]*\/>/;

function kimiCode({ type, promptId, time, input, summary, error, event }) {
  if (type === 'turn.prompt')
    return keyed(
      promptId ?? time,
      at(input, 'text').map((text) => text.replace(KIMI_WORDS, '')),
    );
  if (type === 'context.apply_compaction') return keyed(time, strings(summary));
  if (type === 'turn.ended') return keyed(time, at(error ?? {}, 'message'));
  if (type !== 'context.append_loop_event') return [];
  return [
    ...keyed(event.uuid, [...at(event, 'part', 'text'), ...at(event, 'part', 'think')]),
    ...anywhere(at(event, 'args')),
    ...anywhere(at(event, 'result', 'output')),
  ];
}

function copilot({ type, id, data }) {
  if (type === 'user.message') return keyed(id, [data.content]);
  if (type === 'session.error') return keyed(id, [data.message]);
  if (type === 'tool.execution_complete')
    return anywhere([...at(data, 'result', 'content'), ...at(data, 'error', 'message')]);
  if (type !== 'assistant.message') return [];
  return [
    ...keyed(id, [...at(data, 'reasoningText'), ...at(data, 'content')]),
    ...anywhere(at(data, 'toolRequests', 'arguments')),
  ];
}
