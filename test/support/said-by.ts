import { at, isJson, type Json, leaves, type Said, strings } from './said-in.js';

/** Where each program's records keep what was said. Machine text is named here, and nowhere else left out. */

const first = (record: unknown, ...keys: string[]): string | undefined => strings(at(record, ...keys))[0];

function googleSaid(parts: unknown, who: string, message: string | undefined): Said[] {
  if (typeof parts === 'string') return strings([parts]).map((text) => ({ who, message, text }));
  return at(parts).flatMap((part) => [
    ...strings(at(part, 'text')).map((text) => ({ who, message, text })),
    ...leaves(at(part, 'functionCall', 'args')).map((text) => ({ who: 'tool', message, text })),
    ...leaves(at(part, 'functionResponse', 'response')).map((text) => ({ who: 'tool', message, text })),
  ]);
}

export function qwenSaid(record: Json): Said[] {
  const message = first(record, 'uuid');
  const error = strings(at(record, 'systemPayload', 'uiEvent', 'error_message'));
  return [
    ...googleSaid(at(record, 'message', 'parts'), record.type === 'user' ? 'user' : 'assistant', message),
    ...error.map((text) => ({ who: 'assistant', message, text: `[error] ${text}` })),
  ];
}

/** What Gemini CLI says itself: at the start, and after a compression. */
const GEMINI_MACHINE = /^\s*<session_context>|^Got it\. Thanks for the additional context!$/;

export function geminiSaid(record: Json): Said[] {
  const listed = [...at(record, 'messages'), ...at(record, '$set', 'messages')];
  // What a list repeats has new ids: it must be there, but does not say how often.
  if (listed.length > 0 && '$set' in record)
    return listed
      .filter(isJson)
      .flatMap((each) => geminiSaid(each).map((one) => ({ ...one, message: undefined })));
  if (listed.length > 0) return listed.filter(isJson).flatMap(geminiSaid);
  const message = first(record, 'id');
  if (!['user', 'gemini', 'error'].includes(String(record.type))) return [];
  const who = record.type === 'user' ? 'user' : 'assistant';
  const thoughts = at(record, 'thoughts').flatMap((each) => [
    ...strings([...at(each, 'subject'), ...at(each, 'description')]),
  ]);
  return [
    ...googleSaid(record.content, who, message).filter(({ text }) => !GEMINI_MACHINE.test(text)),
    ...thoughts.map((text) => ({ who, message: undefined, text })),
    ...at(record, 'toolCalls').flatMap((call) => [
      ...leaves(at(call, 'args')).map((text) => ({ who: 'tool', message, text })),
      ...googleSaid(at(call, 'result'), 'tool', message),
    ]),
  ];
}

/** What Kimi Code puts before the task of an agent. */
const KIMI_MACHINE = /^<git-context [^>]*\/>/;

export function kimiCodeSaid(record: Json): Said[] {
  const { type, event } = record;
  if (type === 'turn.prompt') {
    const message = first(record, 'promptId') ?? String(record.time);
    return strings(at(record, 'input', 'text')).map((text) => ({
      who: 'user',
      message,
      text: text.replace(KIMI_MACHINE, ''),
    }));
  }
  if (type === 'context.apply_compaction')
    return strings(at(record, 'summary')).map((text) => ({
      who: 'assistant',
      message: String(record.time),
      text,
    }));
  if (type === 'turn.ended')
    return strings(at(record, 'error', 'message')).map((text) => ({
      who: 'assistant',
      message: String(record.time),
      text,
    }));
  if (type !== 'context.append_loop_event') return [];
  const message = first(event, 'uuid');
  const words = [...at(event, 'part', 'text'), ...at(event, 'part', 'think')];
  const done = [...leaves(at(event, 'args')), ...leaves(at(event, 'result', 'output'))];
  return [
    ...strings(words).map((text) => ({ who: 'assistant', message, text })),
    ...done.map((text) => ({ who: 'tool', message, text })),
  ];
}

export function copilotSaid(record: Json): Said[] {
  const { type, data } = record;
  const message = first(record, 'id');
  const said = (who: string, ...path: string[]) =>
    strings(at(data, ...path)).map((text) => ({ who, message, text }));
  if (type === 'user.message') return said('user', 'content');
  if (type === 'session.error') return said('assistant', 'message');
  if (type === 'tool.execution_complete')
    return [...said('tool', 'result', 'content'), ...said('tool', 'error', 'message')];
  if (type !== 'assistant.message') return [];
  const calls = leaves(at(data, 'toolRequests', 'arguments')).map((text) => ({ who: 'tool', message, text }));
  return [...said('assistant', 'reasoningText'), ...said('assistant', 'content'), ...calls];
}
