/** Operations as tools of agents. */
import * as z from 'zod/mini';
import { UserError } from '../core/errors.js';
import { field as about, type Client } from '../operations/fields.js';
import type { AgentTool, AnyOperation } from '../operations/operation.js';
import type { Answer, PalaceService, ServiceCall } from '../service/contract/index.js';
import { completed, type Field, fieldsOf, schemaAfar } from './fields.js';

/** The argument that limits an answer. */
const MAX_TOKENS = 'max_tokens';

interface Asked extends ServiceCall, Pick<Client, 'folders'> {
  readonly service: PalaceService;
  readonly host: Pick<Client, 'config'>;
}

const clientOf = ({ host: { config }, folders }: Asked): Client => ({
  config,
  env: {},
  patient: false,
  isAgent: true,
  folders,
});

/** What agents see of a tool, and who gets it. */
interface About
  extends Omit<
    AgentTool<never>,
    'core' | 'idempotent' | 'destructive' | 'tokens' | 'answer' | 'none' | 'logged'
  > {
  /** On by default. */
  readonly core?: boolean;
  /** Changes the palace: absent under --read-only, recorded in the write log. */
  readonly writes?: boolean;
  /** It may remove something for good: unknown arguments are refused, not ignored. */
  readonly destructive?: boolean;
  /** Repeating the call changes nothing more. */
  readonly idempotent?: boolean;
  /**
   * A client that is confined to a wing gets it. All that it answers about the palace is from `call.service`; it runs no
   * program, and names nothing of the machine.
   */
  readonly inWing?: boolean;
}

/** What a tool is made of. */
export interface Declared<Call, Input extends z.ZodMiniObject = z.ZodMiniObject> extends About {
  readonly input: () => Input;
  /** Tokens of an answer, if its length is limited. */
  readonly tokens?: number | undefined;
  /** Arguments for the write log, or what it is given: places and ids, never content. */
  readonly logged?: readonly (keyof z.output<Input>)[] | ((input: z.output<Input>, shown: Answer) => Answer);
  run(input: z.output<Input>, call: Call, tokens: number): Promise<Answer>;
}

/** Agents get the answer as JSON text and as structured content. A `UserError` becomes an answer, too; others are bugs. */
export interface Tool<Call> extends About {
  readonly input: z.ZodMiniObject<Record<string, z.ZodMiniType>>;
  logged(given: Record<string, unknown>, shown: Answer): Answer;
  run(given: Record<string, unknown>, call: Call): Promise<Answer>;
}

export function toolOf<Call extends Asked, Input extends z.ZodMiniObject>({
  input,
  tokens,
  logged = [],
  run,
  ...told
}: Declared<Call, Input>): Tool<Call> {
  const all = fieldsOf({ input });
  const fields = all.filter(({ terminalOnly, hidden, tool }) => !terminalOnly && !hidden && tool !== null);
  const budget =
    tokens === undefined
      ? {}
      : { [MAX_TOKENS]: z._default(z.int().check(z.minimum(100), z.maximum(100_000)), tokens) };
  const shape = { ...Object.fromEntries(fields.flatMap(argumentsOf)), ...budget };
  return {
    ...told,
    input: z.object(shape as Record<string, z.ZodMiniType>),
    logged: (given, shown) =>
      typeof logged === 'function'
        ? logged(given as z.output<Input>, shown)
        : Object.fromEntries(
            fields.filter(({ name }) => logged.includes(name)).flatMap((field) => valueIn(field, given)),
          ),
    async run(given, call) {
      const said = Object.fromEntries(fields.flatMap((field) => valueIn(field, given)));
      const input = await completed(all, said, clientOf(call), argumentOf);
      return run(input as z.output<Input>, call, Number(given[MAX_TOKENS]));
    },
  };
}

/** The tool of an operation. */
export function operationTool<Call extends Asked>(
  operation: AnyOperation,
  { answer, none, logged = [], ...told }: AgentTool<unknown>,
): Tool<Call> {
  return toolOf<Call, z.ZodMiniObject>({
    ...told,
    writes: operation.reads !== true,
    inWing: typeof operation.inWing !== 'string',
    input: operation.input,
    logged: (given, shown) =>
      typeof logged === 'function'
        ? logged(shown, given)
        : Object.fromEntries(logged.map((name) => [name, placeOf(shown[name])])),
    async run(input, call, tokens) {
      try {
        return await answer(await call.service.ask(operation, input, call), tokens, input);
      } catch (error) {
        if (none === undefined || !(error instanceof UserError) || error.code !== 'not-found') throw error;
        return none;
      }
    },
  });
}

const argumentOf = ({ tool, name }: Field): string => (typeof tool === 'string' ? tool : name);

/** A field as one argument; a tuple as one per part. */
function argumentsOf(field: Field): [name: string, schema: z.core.$ZodType][] {
  const { tool, base, description, ofAgents } = field;
  if (!Array.isArray(tool) || base._zod.def.type !== 'tuple') {
    const schema = ofAgents === undefined ? schemaAfar(field) : about(ofAgents(), description, field);
    return [[argumentOf(field), schema]];
  }
  const { items } = base._zod.def;
  return tool.flatMap((each, at) => {
    const item = items[at];
    return item === undefined ? [] : [[each, item]];
  });
}

function valueIn(field: Field, given: Record<string, unknown>): [name: string, value: unknown][] {
  const { tool, name } = field;
  if (Array.isArray(tool)) return [[name, tool.map((each) => given[each])]];
  const value = given[argumentOf(field)];
  return value === undefined ? [] : [[name, value]];
}

/** The id of a fact that is shown; ids as they are. */
function placeOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'triple_id' in value ? value.triple_id : value;
}
