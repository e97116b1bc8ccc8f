import * as field from '../../../../core/fields.js';
import { parseJson } from '../../../../core/json.js';
import { type Part, textPart } from '../../../../core/parts.js';

/** Recognises the author of a text in the user's name, in a rollout of Codex. */

/**
 * The beginnings of texts that Codex itself writes in the user's name. Needed before 0.160, and for providers that drop
 * the kind of each text.
 */
const MACHINE =
  /^\s*(?:<(?:environment_context|user_instructions|turn_aborted|skill|hook_prompt|apps_instructions|model_switch)\b|# AGENTS\.md instructions|<INSTRUCTIONS>|Warning: (?:apply_patch was requested via|The maximum number of unified exec processes))/;
const NOTE = /^\s*<(?:user_shell_command|subagent_notification)>/;

/** The user's words; a note about an action of the user or an agent; or instructions, which are not kept. */
export function whoseWords(text: string, kind: string | undefined): 'person' | 'note' | 'machine' {
  if (kind?.startsWith('user.') === true) return 'person';
  if (NOTE.test(text)) return 'note';
  if (MACHINE.test(text)) return 'machine';
  return kind === undefined || kind === 'unknown' ? 'person' : 'machine';
}

const SHELL =
  /^\s*<user_shell_command>\s*<command>\n?([\s\S]*?)\n?<\/command>\s*<result>\n?([\s\S]*?)\n?<\/result>\s*<\/user_shell_command>\s*$/;
const SHELL_HEAD = /^Exit code: (-?\d+)\n(?:Duration: .*\n)?Output:\n?/;
const NOTIFICATION = /^\s*<subagent_notification>\s*([\s\S]*?)\s*<\/subagent_notification>\s*$/;

/** A command that the user ran with `!`, with its output; or the answer of a sub-agent (v1). */
export function notePart(text: string): Part {
  const ran = SHELL.exec(text);
  if (ran !== null) {
    const [, command = '', result = ''] = ran;
    return textPart(`[ran] ${command}\n\n${result.replace(SHELL_HEAD, '')}`.trimEnd());
  }
  const data = field.object(parseJson(NOTIFICATION.exec(text)?.[1] ?? ''));
  if (data === undefined) return textPart(text);
  const { status } = data;
  const texts = typeof status === 'object' && status !== null ? Object.values(status) : [status];
  const answer = texts.find((each) => typeof each === 'string');
  const author = field.text(data, 'agent_path') ?? field.text(data, 'agent_id');
  return answerPart(author, answer ?? JSON.stringify(status ?? ''));
}

export function answerPart(author: string | undefined, text: string): Part {
  const name = author === undefined ? '' : ` ${author}`;
  return { kind: 'result', id: undefined, text: `[sub-agent${name}]\n${text}`, error: false };
}

const ENVELOPE = /^\s*Message Type: *(\w+)\n(?:(?:Task name|Sender|Recipient): .*\n)*Payload:\n?/;

/** A message between agents without the header lines of Codex. */
export function personsPart(text: string): { text: string; isAnswer: boolean } {
  const envelope = ENVELOPE.exec(text);
  if (envelope === null) return { text, isAnswer: false };
  return { text: text.slice(envelope[0].length), isAnswer: envelope[1] === 'FINAL_ANSWER' };
}

const SUMMARY_HEAD =
  /^Another language model started to solve this problem and produced a summary of its thinking process\.[\s\S]*?Here is the summary produced by the other language model, use the information in this summary to assist with your own analysis:\s*/;

/** A compaction's summary without the instructions for the next model. */
export function summaryOf(message: string): string {
  return message.replace(SUMMARY_HEAD, '');
}
