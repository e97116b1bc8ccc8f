import { z } from 'zod';
import { type Part, reasoningPart, textOf } from '../../../../core/parts.js';
import { googleParts } from '../../google-parts.js';
import { optionalName, optionalText } from '../../schemas.js';
import { listOf, wordsOf } from '../../turns.js';

/** A message of any release of Gemini CLI. */
export interface Message {
  id: string | undefined;
  at: string | undefined;
  type: 'user' | 'gemini' | 'error';
  /** Texts and calls, in order. */
  said: Part[];
  /** Results of tools. */
  results: Result[];
}

type Result = Extract<Part, { kind: 'result' }>;

const record = z.looseObject({
  id: optionalName,
  timestamp: optionalText,
  type: z.enum(['user', 'gemini', 'error']),
});
const thought = z.looseObject({ subject: z.string().catch(''), description: z.string().catch('') });
const toolCall = z.looseObject({
  id: optionalText,
  name: z.string().catch('unknown'),
  status: optionalText,
  agentId: optionalText,
});
const progress = z.looseObject({ isSubagentProgress: z.literal(true), recentActivity: z.array(z.unknown()) });
const activity = z.looseObject({ type: z.string(), content: z.string() });

/** @param agents ids of the sub-agents that have transcripts of their own */
export function messageOf(json: unknown, agents: ReadonlySet<string>): Message | undefined {
  const { data } = record.safeParse(json);
  if (data === undefined) return undefined;
  /** The first of the parts with the same text, or of the same kind with the same id. */
  const found = new Map<string, Part>();
  const add = (part: Part): void => {
    const name = part.kind === 'text' ? part.text : (part.id ?? `#${found.size}`);
    const key = JSON.stringify([part.kind, name]);
    if (!found.has(key)) found.set(key, part);
  };
  for (const each of listOf(data.thoughts)) {
    const { subject = '', description = '' } = thought.safeParse(each).data ?? {};
    // The wording of the program itself.
    const words = [subject && `**${subject}**`, description].filter(Boolean).join(' ');
    if (words !== '') add(reasoningPart(words));
  }
  const parts = googleParts(data.content ?? data.text ?? data.message);
  // A command of the user is recorded in its expanded form.
  const words = wordsOf(parts);
  for (const part of googleParts(data.displayContent))
    if (part.kind === 'text' && !words.includes(part.text)) add(part);
  for (const part of parts) add(part);
  for (const each of listOf(data.toolCalls)) {
    const call = toolCall.safeParse(each).data;
    if (call === undefined) continue;
    add({ kind: 'call', id: call.id, name: call.name, input: call.args });
    const result = resultOf(call, agents);
    if (result !== undefined) add(result);
  }
  const all = [...found.values()];
  const results = all.filter((part) => part.kind === 'result');
  const said = all.filter((part) => part.kind !== 'result');
  return { id: data.id, at: data.timestamp, type: data.type, said, results };
}

function sameCall(one: Part, other: Part): boolean {
  return one.kind === 'call' && other.kind === 'call' && one.id !== undefined && one.id === other.id;
}

function resultOf(call: z.infer<typeof toolCall>, agents: ReadonlySet<string>): Result | undefined {
  const { id, name, status, result, resultDisplay, agentId } = call;
  const parts = googleParts(result);
  const texts = parts.flatMap((part) => (part.kind === 'call' ? [] : [part.text]));
  if (texts.length === 0 && typeof resultDisplay === 'string' && resultDisplay !== '')
    texts.push(resultDisplay);
  if (agentId === undefined || !agents.has(agentId)) texts.push(...activityOf(resultDisplay));
  if (texts.length === 0) return undefined;
  const failed = status === 'error' || status === 'cancelled';
  const error = failed || parts.some((part) => part.kind === 'result' && part.error);
  return { kind: 'result', id: id ?? name, text: texts.join('\n'), error };
}

/** The activity of a sub-agent without its own transcript. */
function activityOf(display: unknown): string[] {
  const { data } = progress.safeParse(display);
  return (data?.recentActivity ?? []).flatMap((each) => {
    const seen = activity.safeParse(each).data;
    if (seen === undefined) return [];
    return [`[sub-agent: ${seen.type}] ${[seen.content, textOf(seen.args)].filter(Boolean).join(' ')}`];
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
