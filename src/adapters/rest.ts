/** Operations as addresses: those that read take GET, the others POST. */
import * as z from 'zod/mini';
import { frameOf } from '../operations/index.js';
import type { AnyOperation } from '../operations/operation.js';
import type { Answer, PalaceService, ServiceCall } from '../service/contract/index.js';
import { type Field, fieldsOf, parsedText, withDays } from './fields.js';

interface Asked {
  readonly service: PalaceService;
  readonly call: ServiceCall;
}

/** @param name of its document */
export function addressOf(name: string, operation: AnyOperation) {
  const { address = '', inWing } = operation;
  const fields = fieldsOf(operation).filter(({ terminalOnly }) => terminalOnly !== true);
  const shape = Object.fromEntries(fields.map((field) => [field.name, field.schema]));
  return {
    path: `/${operation.name.replaceAll(' ', '/')}` as const,
    command: `mempalace ${operation.name}`,
    summary: address,
    documents: [name],
    inWing: typeof inWing !== 'string',
    takes: z.strictObject(shape as z.core.$ZodShape),
    /** The parameters of an address are texts. */
    fromTexts: (texts: Record<string, string | string[]>) =>
      Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, fromText(fields, key, text)])),
    answer: (input: Record<string, unknown>, { service, call }: Asked): Promise<Answer> =>
      service.ask(operation, withDays(fields, input), call),
    logged: (input: Record<string, unknown>) =>
      Object.fromEntries((operation.logged ?? []).map((key) => [key, input[String(key)]])),
  };
}

function fromText(fields: readonly Field[], key: string, text: string | string[]): unknown {
  const field = fields.find(({ name }) => name === key);
  return field === undefined || typeof text !== 'string' ? text : parsedText(field, text);
}

/** The document of an operation, with its frame. */
export function documentOf(operation: AnyOperation) {
  const frame = Object.entries(frameOf(operation)).map(([name, value]) => [name, z.literal(value)]);
  return z.strictObject({ ...Object.fromEntries(frame), ...operation.output().shape });
}
