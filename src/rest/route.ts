import type { z } from 'zod';
import type { Config } from '../config/index.js';
import type { Document, documents } from '../presentation/documents/index.js';
import type { Output, PalaceService, ServiceCall } from '../service/contract/index.js';

/** Provided by the program that serves. */
export interface RestHost {
  readonly service: PalaceService;
  readonly config: Config;
  /** What the program knows of the palace besides its content. */
  surroundings(
    feeders: Output<'status'>['feeders'],
  ): Promise<Pick<Document<'status'>, 'palace' | 'broker' | 'stale'>>;
  /** The document of `mempalace doctor`. Absent for clients of other machines: it describes this one. */
  doctor?(signal: AbortSignal): Promise<unknown>;
  /** The document of `mempalace config show`. Absent as `doctor` is. */
  settings?(): Promise<Document<'config'>>;
  /** An error as the document of a failed command. */
  problem(error: unknown): Document<'error'>;
}

interface Asked extends RestHost {
  readonly call: ServiceCall;
}

/** A document, or the text of one in parts, for those that may be too long for the memory. */
export type Answered = object | AsyncIterable<string>;

/** A reading command as an address. */
export interface Route<Query extends z.ZodObject = z.ZodObject> {
  /** Below the API's root. */
  readonly path: `/${string}`;
  /** The command that prints the same document with --json. */
  readonly command: string;
  readonly summary: string;
  /** Parameters; unknown ones are refused. */
  readonly query: Query;
  /** What it answers: one of these. */
  readonly documents: readonly (keyof typeof documents)[];
  answer(query: z.output<Query>, asked: Asked): Promise<Answered>;
}

/** Lets the compiler infer the parameters. */
export function defineRoute<Query extends z.ZodObject>(route: Route<Query>): Route {
  return route as unknown as Route;
}
