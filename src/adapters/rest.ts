/** Operations as addresses: those that read take GET, the others POST. */
import * as z from 'zod/mini';
import type { Client } from '../operations/fields.js';
import { frameOf, printedOf } from '../operations/index.js';
import type { AnyOperation } from '../operations/operation.js';
import type { Answer, PalaceService, ServiceCall } from '../service/contract/index.js';
import { completed, type Field, fieldsOf, parsedText, schemaAfar } from './fields.js';

interface Asked extends Pick<Client, 'config' | 'cache'> {
  readonly service: PalaceService;
  readonly call: ServiceCall;
}

/** @param name of its document */
export function addressOf(name: string, operation: AnyOperation) {
  const { address = '', inWing } = operation;
  const all = fieldsOf(operation);
  const fields = all.filter(
    ({ terminalOnly, hidden, address: of }) => !terminalOnly && !hidden && of !== null,
  );
  const shape = Object.fromEntries(fields.map((field) => [addressed(field), schemaAfar(field)]));
  return {
    path: operation.path ?? (`/${operation.name.replaceAll(' ', '/')}` as const),
    command: `mempalace ${operation.name}`,
    summary: address,
    documents: [name],
    inWing: typeof inWing !== 'string',
    takes: z.strictObject(shape as z.core.$ZodShape),
    /** The parameters of an address are texts. */
    fromTexts: (texts: Record<string, string | string[]>) =>
      Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, fromText(fields, key, text)])),
    async answer(given: Record<string, unknown>, { service, call, config, cache }: Asked): Promise<Answer> {
      const told = fields.flatMap((field) => {
        const value = given[addressed(field)];
        return value === undefined ? [] : [[field.name, value]];
      });
      const client = { config, env: {}, folders: () => [], cache };
      const input = await completed(all, Object.fromEntries(told), client);
      return printedOf(operation, await service.ask(operation, input, call), input);
    },
    logged: (given: Record<string, unknown>) =>
      Object.fromEntries(
        fields.flatMap((field) =>
          operation.logged?.includes(field.name) ? [[field.name, given[addressed(field)]]] : [],
        ),
      ),
  };
}

const addressed = ({ address, name }: Field): string => address ?? name;

function fromText(fields: readonly Field[], key: string, text: string | string[]): unknown {
  const field = fields.find((each) => addressed(each) === key);
  return field === undefined || typeof text !== 'string' ? text : parsedText(field, text);
}

/** The document of an operation, with its frame. */
export function documentOf(operation: AnyOperation) {
  const frame = Object.entries(frameOf(operation)).map(([name, value]) => [name, z.literal(value)]);
  return z.strictObject({ ...Object.fromEntries(frame), ...operation.output().shape });
}
