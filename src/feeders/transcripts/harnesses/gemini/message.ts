import { z } from 'zod';
import type { Part } from '../../entry.js';
import { googleParts } from '../../google-parts.js';
import { textOf } from '../../records.js';

/** A message of Gemini CLI, whichever release wrote it. */
export interface Message {
  id: string | undefined;
  at: string | undefined;
  type: 'user' | 'gemini' | 'error';
  /** Texts and calls, in order. */
  said: Part[];
  /** Results of tools. */
  results: Result[];
  ignored: string[];
}

export type Result = Extract<Part, { kind: 'result' }>;
type Call = Extract<Part, { kind: 'call' }>;

const TYPES = { user: 'user', gemini: 'gemini', error: 'error' } as const;

const record = z.looseObject({
  id: z.string().min(1).optional().catch(undefined),
  timestamp: z.string().optional().catch(undefined),
  type: z.enum(['user', 'gemini', 'error']),
});
const thought = z.looseObject({ subject: z.string().catch(''), description: z.string().catch('') });
const toolCall = z.looseObject({
  id: z.string().optional().catch(undefined),
  name: z.string().catch('unknown'),
  status: z.string().optional().catch(undefined),
  agentId: z.string().optional().catch(undefined),
});
const progress = z.looseObject({ isSubagentProgress: z.literal(true), recentActivity: z.array(z.unknown()) });
const activity = z.looseObject({ type: z.string(), content: z.string() });

/** @param agents ids of the sub-agents that have transcripts of their own */
export function messageOf(json: unknown, agents: ReadonlySet<string>): Message | undefined {
  const parsed = record.safeParse(json);
  if (!parsed.success) return undefined;
  const {
    id,
    timestamp: at,
    type,
    content,
    text,
    message,
    thoughts,
    toolCalls,
    displayContent,
  } = parsed.data;
  const ignored: string[] = [];
  const said: Part[] = [];
  const results: Result[] = [];
  const add = (part: Part): void => {
    if (part.kind === 'result') {
      if (part.id === undefined || results.every((each) => each.id !== part.id)) results.push(part);
    } else if (!said.some((each) => sameWords(each, part) || sameCall(each, part))) said.push(part);
  };
  for (const each of Array.isArray(thoughts) ? thoughts : []) {
    const { data } = thought.safeParse(each);
    const words = data === undefined ? '' : thoughtText(data.subject, data.description);
    if (words !== '') add({ kind: 'text', text: `[reasoning] ${words}` });
  }
  // A command of the user is recorded as what it stands for.
  const shown = googleParts(displayContent, []);
  const parts = googleParts(content ?? text ?? message, ignored);
  const words = parts.map((part) => (part.kind === 'text' ? part.text : '')).join('\n');
  for (const part of shown) if (part.kind === 'text' && !words.includes(part.text)) add(part);
  for (const part of parts) add(part);
  for (const each of Array.isArray(toolCalls) ? toolCalls : []) {
    const { data } = toolCall.safeParse(each);
    if (data === undefined) continue;
    add({ kind: 'call', id: data.id, name: data.name, input: data.args });
    const result = resultOf(data, agents);
    if (result !== undefined) add(result);
  }
  return { id, at, type: TYPES[type], said, results, ignored };
}

/** As the program itself words a thought where it makes a part of it. */
function thoughtText(subject: string, description: string): string {
  return [subject === '' ? '' : `**${subject}**`, description].filter((each) => each !== '').join(' ');
}

function sameWords(one: Part, other: Part): boolean {
  return one.kind === 'text' && other.kind === 'text' && one.text === other.text;
}

function sameCall(one: Part, other: Part): boolean {
  return one.kind === 'call' && other.kind === 'call' && one.id !== undefined && one.id === other.id;
}

function resultOf(call: z.infer<typeof toolCall>, agents: ReadonlySet<string>): Result | undefined {
  const { id, name, status, result, resultDisplay, agentId } = call;
  const parts = googleParts(result, []);
  const texts = parts.flatMap((part) => (part.kind === 'call' ? [] : [part.text]));
  if (texts.length === 0 && typeof resultDisplay === 'string' && resultDisplay !== '')
    texts.push(resultDisplay);
  if (agentId === undefined || !agents.has(agentId)) texts.push(...activityOf(resultDisplay));
  if (texts.length === 0) return undefined;
  const failed = status === 'error' || status === 'cancelled';
  const error = failed || parts.some((part) => part.kind === 'result' && part.error);
  return { kind: 'result', id: id ?? name, text: texts.join('\n'), error };
}

/** What a sub-agent without a transcript of its own did. */
function activityOf(display: unknown): string[] {
  const { data } = progress.safeParse(display);
  return (data?.recentActivity ?? []).flatMap((each) => {
    const seen = activity.safeParse(each).data;
    if (seen === undefined) return [];
    return [`[sub-agent: ${seen.type}] ${[seen.content, textOf(seen.args)].filter(Boolean).join(' ')}`];
  });
}

/**
 * A later version of a message, with what only the earlier one said: the program replaces a message as a whole when
 * its tools have run.
 */
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
  const text = ({ name, input }: Call) => JSON.stringify([name, input]);
  return one.kind === 'call' && other.kind === 'call' && text(one) === text(other);
}
