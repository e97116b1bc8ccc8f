import * as field from '../../../../core/fields.js';
import { type Part, reasoningPart } from '../../../../core/parts.js';
import { googleParts } from '../../google-parts.js';
import { wordsOf } from '../../turns.js';

export interface Message {
  id: string | undefined;
  at: string | undefined;
  type: 'user' | 'gemini' | 'error';
  said: Part[];
  results: Result[];
}

type Result = Extract<Part, { kind: 'result' }>;

/** @param agents ids of the sub-agents that have transcripts of their own */
export function messageOf(json: unknown, agents: ReadonlySet<string>): Message | undefined {
  const data = field.object(json);
  const type = (['user', 'gemini', 'error'] as const).find((each) => each === data?.type);
  if (data === undefined || type === undefined) return undefined;
  /** The first of the parts with the same text, or of the same kind with the same id. */
  const found = new Map<string, Part>();
  const add = (part: Part): void => {
    const name = part.kind === 'text' ? part.text : (part.id ?? `#${found.size}`);
    const key = JSON.stringify([part.kind, name]);
    if (!found.has(key)) found.set(key, part);
  };
  for (const thought of field.list(data, 'thoughts')) {
    const subject = field.name(thought, 'subject');
    // The wording of the program itself.
    const words = [subject && `**${subject}**`, field.text(thought, 'description')].filter(Boolean).join(' ');
    if (words !== '') add(reasoningPart(words));
  }
  const parts = googleParts(data.content ?? data.text ?? data.message);
  // A command of the user is recorded in its expanded form.
  const words = wordsOf(parts);
  for (const part of googleParts(data.displayContent))
    if (part.kind === 'text' && !words.includes(part.text)) add(part);
  for (const part of parts) add(part);
  for (const call of field.objects(data, 'toolCalls')) {
    const [id, name] = [field.text(call, 'id'), field.text(call, 'name') ?? 'unknown'];
    add({ kind: 'call', id, name, input: call.args });
    const result = resultOf(call, agents);
    if (result !== undefined) add(result);
  }
  const all = [...found.values()];
  const results = all.filter((part) => part.kind === 'result');
  const said = all.filter((part) => part.kind !== 'result');
  return { id: field.name(data, 'id'), at: field.text(data, 'timestamp'), type, said, results };
}

function sameCall(one: Part, other: Part): boolean {
  return one.kind === 'call' && other.kind === 'call' && one.id !== undefined && one.id === other.id;
}

function resultOf(call: field.Fields, agents: ReadonlySet<string>): Result | undefined {
  const { status, resultDisplay } = call;
  const parts = googleParts(call.result);
  const texts = parts.flatMap((part) => (part.kind === 'call' ? [] : [part.text]));
  const shown = field.name(resultDisplay);
  if (texts.length === 0 && shown !== undefined) texts.push(shown);
  if (!agents.has(field.text(call, 'agentId') ?? '')) texts.push(...activityOf(resultDisplay));
  if (texts.length === 0) return undefined;
  const failed = status === 'error' || status === 'cancelled';
  const error = failed || parts.some((part) => part.kind === 'result' && part.error);
  const id = field.text(call, 'id') ?? field.text(call, 'name') ?? 'unknown';
  return { kind: 'result', id, text: texts.join('\n'), error };
}

/** The activity of a sub-agent without its own transcript. */
function activityOf(display: unknown): string[] {
  if (field.value(display, 'isSubagentProgress') !== true) return [];
  return field.list(display, 'recentActivity').flatMap((each) => {
    const [type, content] = [field.text(each, 'type'), field.text(each, 'content')];
    if (type === undefined || content === undefined) return [];
    return [`[sub-agent: ${type}] ${[content, field.text(each, 'args')].filter(Boolean).join(' ')}`];
  });
}

/** The later version of a message, with the parts that only the earlier one has: the program rewrites a message when its tools have run. */
export function merged(earlier: Message, later: Message): Message {
  const lost = earlier.said.filter((part) =>
    part.kind === 'text'
      ? !later.said.some((each) => each.kind === 'text' && each.text.startsWith(part.text))
      : !later.said.some((each) => sameCall(each, part) || sameInput(each, part)),
  );
  const results = earlier.results.filter(({ id }) => later.results.every((each) => each.id !== id));
  return {
    ...later,
    at: earlier.at ?? later.at,
    said: [...lost, ...later.said],
    results: [...results, ...later.results],
  };
}

function sameInput(one: Part, other: Part): boolean {
  if (one.kind !== 'call' || other.kind !== 'call') return false;
  return JSON.stringify([one.name, one.input]) === JSON.stringify([other.name, other.input]);
}
