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

export function toolOf(operation: AnyOperation, tool: AgentTool<unknown>) {
  const { tokens, answer, none, logged = [], ...told } = tool;
  const all = fieldsOf(operation);
  const fields = all.filter(({ terminalOnly, hidden, tool }) => !terminalOnly && !hidden && tool !== null);
  const budget =
    tokens === undefined
      ? {}
      : { [MAX_TOKENS]: z._default(z.int().check(z.minimum(100), z.maximum(100_000)), tokens) };
  const shape = { ...Object.fromEntries(fields.flatMap(argumentsOf)), ...budget };
  return {
    ...told,
    writes: operation.reads !== true,
    inWing: typeof operation.inWing !== 'string',
    input: z.object(shape as z.core.$ZodShape),
    output: z.looseObject({}),
    logged: (given: Record<string, unknown>, shown: Answer) =>
      typeof logged === 'function'
        ? logged(shown, given)
        : Object.fromEntries(logged.map((name) => [name, placeOf(shown[name])])),
    async run(given: Record<string, unknown>, call: Asked): Promise<Answer> {
      const told = Object.fromEntries(fields.flatMap((field) => valueIn(field, given)));
      const input = await completed(all, told, clientOf(call), argumentOf);
      try {
        const document = await call.service.ask(operation, input, call);
        return await answer(document, Number(given[MAX_TOKENS]), input);
      } catch (error) {
        if (none === undefined || !(error instanceof UserError) || error.code !== 'not-found') throw error;
        return none;
      }
    },
  };
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
