/** Operations as addresses: those that read take GET, the others POST. */
import * as z from 'zod/mini';
import { renamed } from '../core/renamed.js';
import type { Client } from '../operations/fields.js';
import { frameOf, printedOf } from '../operations/index.js';
import type { AnyOperation } from '../operations/operation.js';
import type { PalaceService, ServiceCall } from '../service/contract/index.js';
import { completed, type Field, fieldsOf, parsedText, schemaAfar } from './fields.js';

/** Whose request is answered. */
export interface AskedThere extends Pick<Client, 'config'> {
  readonly service: PalaceService;
  readonly call: ServiceCall;
  /** Absent for clients of other machines. */
  readonly machine?: { readonly cache: string };
}

/** A document, or the text of one in parts, for those that may be too long for the memory. */
export type Answered = object | AsyncIterable<string>;

interface About {
  /** Below the API's root. */
  readonly path: `/${string}`;
  /** The command that does the same and prints the same document with --json. */
  readonly command: string;
  readonly summary: string;
  /** What it answers: one of these. */
  readonly documents: readonly string[];
  /** A client that is confined to a wing may ask. All that it answers is from `service`. */
  readonly inWing?: boolean;
  /** It takes POST, and the JSON of the request; others take GET, and parameters. */
  readonly posts?: boolean;
  /** It only looks: clients that may only read may ask, and it is not logged. */
  readonly reads?: boolean;
  /** It may take minutes. It is not cancelled when its client leaves, which can ask again with the same Idempotency-Key. */
  readonly long?: boolean;
}

/** What an address is made of. */
export interface Declared<Asked, Input extends z.ZodMiniObject = z.ZodMiniObject> extends About {
  readonly input: () => Input;
  /** Fields of the input for the write log, besides the address. Never text of the palace. */
  readonly logged?: readonly (keyof z.output<Input>)[];
  answer(input: z.output<Input>, asked: Asked): Promise<Answered>;
}

export interface Address<Asked> extends About {
  /** Parameters, or fields of the request; unknown ones are refused. */
  readonly takes: z.ZodMiniObject;
  /** What is asked by the texts of its parameters. */
  fromTexts(texts: Record<string, string | string[]>): Record<string, unknown>;
  logged(given: Record<string, unknown>): Record<string, unknown>;
  answer(given: Record<string, unknown>, asked: Asked): Promise<Answered>;
}

export function addressOf<Asked extends AskedThere, Input extends z.ZodMiniObject>({
  input,
  logged = [],
  answer,
  ...about
}: Declared<Asked, Input>): Address<Asked> {
  const all = fieldsOf({ input });
  const fields = all.filter(
    ({ terminalOnly, hidden, address: of }) => !terminalOnly && !hidden && of !== null,
  );
  return {
    ...about,
    takes: z.strictObject(Object.fromEntries(fields.map((field) => [addressed(field), schemaAfar(field)]))),
    fromTexts: (texts) =>
      Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, fromText(fields, key, text)])),
    async answer(given, asked) {
      const told = fields.flatMap((field) => {
        const value = given[addressed(field)];
        return value === undefined ? [] : [[field.name, value]];
      });
      const { config, machine } = asked;
      const client = { config, env: {}, folders: () => [], cache: machine?.cache };
      const completedInput = await completed(all, Object.fromEntries(told), client);
      return answer(completedInput as z.output<Input>, asked);
    },
    logged: (given) =>
      Object.fromEntries(
        fields.flatMap((field) =>
          logged.includes(field.name) ? [[field.name, given[addressed(field)]]] : [],
        ),
      ),
  };
}

/** The address of an operation. @param name of its document */
export function operationAddress<Asked extends AskedThere>(
  name: string,
  operation: AnyOperation,
): Address<Asked> {
  const { address = '', inWing, input, logged, reads = false, posts = !reads, slow = false } = operation;
  return addressOf<Asked, z.ZodMiniObject>({
    path: operation.path ?? `/${operation.name.replaceAll(' ', '/')}`,
    command: `mempalace ${renamed(operation.name)}`,
    summary: address,
    documents: [name],
    inWing: typeof inWing !== 'string',
    ...{ posts, reads, long: slow, input, logged: logged as readonly string[] },
    answer: async (given, { service, call }) =>
      printedOf(operation, await service.ask(operation, given, call), given),
  });
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
