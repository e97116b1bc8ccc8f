/** The fields of an input, as every channel needs them. */
import type * as z from 'zod/mini';
import { dayOrText } from '../core/moment.js';
import { ABOUT, type About } from '../operations/fields.js';
import type { AnyOperation } from '../operations/operation.js';

type Schema = z.core.$ZodType & Pick<z.ZodMiniType, 'safeParse'>;

export interface Field extends About {
  readonly name: string;
  readonly schema: Schema;
  /** What it is, without whether it may be missing: `string`, `number`, `boolean`, `enum`, `array`, `tuple`. */
  readonly base: z.core.$ZodTypes;
  readonly isOptional: boolean;
  /** Its value where it is missing. */
  readonly usual: unknown;
}

export function fieldsOf({ input }: AnyOperation): Field[] {
  return Object.entries(input().shape).map(([name, of]) => {
    const schema = of as Schema;
    const missing = schema.safeParse(undefined);
    const about = ABOUT.get(schema);
    if (about === undefined) throw new Error(`nothing is said about ${name}`);
    return { ...about, name, schema, base: baseOf(schema), isOptional: missing.success, usual: missing.data };
  });
}

function baseOf(schema: z.core.$ZodType): z.core.$ZodTypes {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  return 'innerType' in def ? baseOf(def.innerType) : (schema as z.core.$ZodTypes);
}

/** An input in which days in words are days of this machine. */
export function withDays(fields: readonly Field[], input: Record<string, unknown>): Record<string, unknown> {
  const now = new Date();
  const days = fields.flatMap(({ name, moment }) => {
    const text = input[name];
    return moment === true && typeof text === 'string' ? [[name, dayOrText(text, now)]] : [];
  });
  return { ...input, ...Object.fromEntries(days) };
}

/** Numbers and truths from their texts; what is neither stays, and is refused by the schema. */
export function parsedText({ base }: Pick<Field, 'base'>, text: string): unknown {
  const { type } = base._zod.def;
  if (type === 'number' && text.trim() !== '') return Number.isNaN(Number(text)) ? text : Number(text);
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  return text;
}
