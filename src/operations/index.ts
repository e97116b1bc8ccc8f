/** What can be asked of a palace. */
import { UserError } from '../core/errors.js';
import { issuesText } from '../core/issues.js';
import { NOTICE } from '../core/outside.js';
import { renamed } from '../core/renamed.js';
import type { Answer, Asked, ServiceCall } from '../service/contract/index.js';
import type { Resources } from '../service/palace/resources.js';
import { type AnyOperation, type AnyProcedure, commandNamed } from './operation.js';

/** Topics by the first word of their operations. Each is loaded when it is asked. */
const TOPICS: Readonly<Record<string, () => Promise<readonly AnyProcedure[]>>> = {
  kg: async () => Object.values((await import('./facts/index.js')).facts),
  search: async () => [(await import('./search/index.js')).search],
  file: async () => Object.values((await import('./reading/file.js')).file),
  patterns: async () => Object.values((await import('./reading/patterns.js')).patterns),
  related: async () => Object.values((await import('./reading/related.js')).related),
  checkpoint: async () => Object.values((await import('./reading/checkpoints.js')).checkpoints),
  drawer: async () => Object.values((await import('./drawers/index.js')).drawers),
  summarise: async () => Object.values((await import('./summaries.js')).summaries),
  forget: async () => Object.values((await import('./forgetting.js')).forgetting),
  set: async () => Object.values((await import('./marks.js')).marks),
  list: async () => (await import('./listing/index.js')).ALL,
  status: async () => (await import('./listing/index.js')).ALL,
  map: async () => (await import('./listing/index.js')).ALL,
  metabolism: async () => {
    const { suggestions, step } = await import('./suggestions.js');
    return [...Object.values(suggestions), step];
  },
  show: async () => Object.values((await import('./reading/show.js')).showing),
  palace: async () => Object.values((await import('./programs.js')).programs),
  receive: async () => Object.values((await import('./receiving.js')).receiving),
  'wake-up': async () => Object.values((await import('./wake-up/index.js')).waking),
  timeline: async () => Object.values((await import('./reading/timeline.js')).timeline),
  conflicts: async () => Object.values((await import('./facts/index.js')).facts),
  task: async () => Object.values((await import('./tasks.js')).tasks),
  collection: async () => Object.values((await import('./collections/index.js')).collections),
  diary: async () => Object.values((await import('./diary.js')).diary),
};

/** @throws UserError `usage` for a name that this version does not know */
export async function operationNamed(name: string): Promise<AnyProcedure> {
  const [topic = ''] = name.split(' ');
  const known = Object.hasOwn(TOPICS, topic) ? await TOPICS[topic]?.() : undefined;
  const found = known?.find((operation) => operation.name === name);
  if (found === undefined) throw new UserError('usage', `there is no method ${JSON.stringify(name)}`);
  return found;
}

/** The input with its defaults. @throws UserError `usage` that lists all errors */
export function checked({ name, input }: AnyProcedure, given: unknown): Answer {
  const schema = input();
  const read = schema.safeParse(given);
  if (read.success) return read.data;
  const takes = Object.keys(schema.shape).join(', ') || 'nothing';
  throw new UserError('usage', issuesText(read.error, name), { hint: `${renamed(name)} takes ${takes}` });
}

/** Answers an operation over a palace of this machine. */
export async function answer(
  resources: Resources,
  asked: Asked,
  given: unknown,
  call: ServiceCall,
): Promise<Answer> {
  const operation = await operationNamed(asked.name);
  const input = checked(operation, given);
  await operation.check?.(input);
  const document = await operation.run(input, { ...resources, call, now: new Date() });
  return { ...frameOf(operation), ...document };
}

/** The document of what an operation answers. */
export async function printedOf(operation: AnyOperation, found: Answer, input: Answer): Promise<Answer> {
  if (operation.printed === undefined) return found;
  return { ...frameOf(operation), ...(await operation.printed(found, input)) };
}

/** What a document says first: the command that changed something, and that quoted text is data. */
export function frameOf(operation: AnyProcedure): {
  command?: string;
  notice?: typeof NOTICE;
} {
  const { reads, quotes, unsigned = reads } = operation;
  return {
    ...(unsigned !== true && { command: commandNamed(operation) }),
    ...(quotes === true && { notice: NOTICE }),
  };
}
