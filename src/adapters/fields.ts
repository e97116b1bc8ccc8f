/** The fields of an input, as every channel needs them. */
import { resolve } from 'node:path';
import * as z from 'zod/mini';
import { expandHome } from '../config/texts.js';
import { dayOrText, parseDay } from '../core/moment.js';
import { ABOUT, type About, field as about, type Client } from '../operations/fields.js';
import type { AnyOperation } from '../operations/operation.js';

type Schema = z.core.$ZodType & Pick<z.ZodMiniType, 'safeParse'>;

export interface Field extends About {
  readonly name: string;
  readonly schema: Schema;
  /** What it is, without whether it may be missing: `string`, `number`, `boolean`, `enum`, `array`, `tuple`. */
  readonly base: z.core.$ZodTypes;
  readonly isOptional: boolean;
  /** Its value where it is missing. */
  readonly otherwise: unknown;
}

export function fieldsOf({ input }: Pick<AnyOperation, 'input'>): Field[] {
  return Object.entries(input().shape).map(([name, of]) => {
    const schema = of as Schema;
    const { optin, def } = schema._zod as z.core.$ZodTypes['_zod'];
    const said = ABOUT.get(schema);
    if (said === undefined) throw new Error(`nothing is said about ${name}`);
    return {
      ...said,
      name,
      schema,
      base: baseOf(schema),
      isOptional: optin !== undefined,
      otherwise: def.type === 'default' ? def.defaultValue : undefined,
    };
  });
}

function baseOf(schema: z.core.$ZodType): z.core.$ZodTypes {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  return 'innerType' in def ? baseOf(def.innerType) : (schema as z.core.$ZodTypes);
}

/**
 * An input with what the program that asks adds to it: days and paths of this machine for those in words, and its own
 * values for what the user did not give.
 *
 * @throws UserError `usage` for a text that is not a day
 */
export async function completed(
  fields: readonly Field[],
  input: Record<string, unknown>,
  client: Client,
  nameOf: (field: Field) => string = ({ name }) => name,
): Promise<Record<string, unknown>> {
  const now = new Date();
  const added: Record<string, unknown> = {};
  for (const field of fields) {
    const { name, moment, day, path, usual } = field;
    const value = input[name];
    if (value === undefined && usual !== undefined) added[name] = await usual(client, { ...input, ...added });
    else if (moment && typeof value === 'string') added[name] = dayOrText(value, now);
    else if (day && typeof value === 'string') added[name] = parseDay(nameOf(field), value, now);
    else if (path && client.home !== undefined && typeof value === 'string') {
      const expanded = expandHome(value, client.home);
      added[name] = path === 'end' ? expanded : resolve(expanded);
    }
  }
  return { ...input, ...added };
}

/** The schema of a field for who is not at a terminal. */
export function schemaAfar(field: Field): Schema {
  const { schema, base, most, isOptional, otherwise, afar } = field;
  if (afar !== undefined) return about(afar(), field.description, field);
  if (most === undefined) return schema;
  const bounded = (base as z.ZodMiniNumber).check(z.maximum(most));
  if (!isOptional) return about(bounded, field.description, field);
  return about(
    otherwise === undefined ? z.optional(bounded) : z._default(bounded, Number(otherwise)),
    field.description,
    field,
  );
}

/** Numbers and truths from their texts; what is neither stays, and is refused by the schema. */
export function parsedText({ base }: Pick<Field, 'base'>, text: string): unknown {
  const { type } = base._zod.def;
  if (type === 'number' && text.trim() !== '') return Number.isNaN(Number(text)) ? text : Number(text);
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  return text;
}
