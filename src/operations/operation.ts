import type * as z from 'zod/mini';
import type { Answer, Asked, PalaceService, ServiceCall } from '../service/contract/index.js';
import type { Resources } from '../service/palace/resources.js';
import type { View } from '../terminal/labels.js';
import type { Terminal } from '../terminal/terminal.js';

/** What an operation works with: the palace, its model, its writer, and who asks. */
export interface Context extends Resources {
  readonly call: ServiceCall;
  readonly now: Date;
}

/** What agents are told. Every agent pays for each word. */
export interface AgentTool<Output> {
  /** `mempalace_…` */
  readonly name: string;
  /** One line, for people. */
  readonly title: string;
  /** When to call it, and what it answers. */
  readonly description: string;
  /** On by default. */
  readonly core?: true;
  /** Repeating the call changes nothing more. */
  readonly idempotent?: true;
  /** It may remove something for good. */
  readonly destructive?: true;
  /** Tokens of an answer; absent: the answer is short. */
  readonly tokens?: number;
  /**
   * The document as agents get it.
   *
   * @param tokens what the answer may cost
   * @param input what was asked
   * @throws UserError where a command only says that it found nothing
   */
  answer(document: Output, tokens: number, input: Record<string, unknown>): Answer | Promise<Answer>;
  /** The answer where the operation says `not-found`; absent: its error. */
  readonly none?: Record<string, unknown>;
  /** Tools that are chosen together. */
  readonly set?: 'collections' | 'tasks';
  /** Fields of the answer, or what is made of it where it is the document, for the write log: places and ids, never text. */
  readonly logged?: readonly string[] | ((document: Output, input: Record<string, unknown>) => Answer);
}

type Shape = z.ZodMiniObject;

/** A question or an order to a palace: a message between processes is made of it. Input and answer are JSON. */
export interface Procedure<Input extends Shape = Shape, Found = Answer> extends Asked {
  /** What documents and runs call it, where that is not `mempalace` with its first word. */
  readonly command?: string;
  /** Made when this operation is needed: schemas of all of them take longer than a command. */
  readonly input: () => Input;
  /** The document quotes text of the palace. */
  readonly quotes?: true;
  /** The document does not say which command changed something. */
  readonly unsigned?: true;
  /** The palace is made if it is missing. */
  readonly makes?: true;
  /** What is asked for a client of one wing; a sentence: why it cannot be. */
  readonly inWing: string | ((input: z.output<Input>, wing: string) => z.output<Input>);
  /** Checked before a palace is opened or made. @throws UserError `usage` */
  check?(input: z.output<Input>): Promise<void> | void;
  run(input: z.output<Input>, context: Context): Promise<Found> | Found;
  /** Whether a document says that nothing was found: then the wing that was asked for must exist. */
  isEmpty?(document: Found): boolean;
  /** Ids of drawers that somebody read with it: such uses are counted. */
  opens?(document: Found): readonly string[];
  /** Ids of drawers that it finds: counted, too. */
  finds?(document: Found): readonly string[];
}

/**
 * A procedure of which a command, an address and a tool are made, declared once. Input and document have snake_case names.
 */
export interface Operation<
  Input extends Shape = Shape,
  Output extends Shape = Shape,
  Found = z.output<Output>,
> extends Procedure<Input, Found> {
  /** Name of its document, where several operations answer with the same. */
  readonly document?: string;
  /** One line for `--help`; absent: no command is made of it. */
  readonly summary?: string;
  /** Headings among its options in `--help`, by the first field below each. */
  readonly groups?: Readonly<Record<string, string>>;
  /** The document of `--json`, of the address and of the tool, after what `framed` adds. */
  readonly output: () => Output;
  /** As `check`, of what a user has typed. */
  atTerminal?(input: z.output<Input>): void;
  /** The document, where `run` answers more than it: what text and tools need, too. */
  printed?(found: Found, input: z.output<Input>): Promise<z.output<Output>>;
  /** For people. @returns 'nothing found' if the command is to say that by its exit code */
  text?(document: Found, terminal: Terminal, input: z.output<Input>): unknown;
  /** What follows `text`, for people who read it in a pager; undefined: nothing. */
  long?(
    document: Found,
    view: View,
    input: z.output<Input>,
  ): Promise<string | undefined> | string | undefined;
  /** Ids of the drawers that its text numbers, from its `offset` on: people may give their numbers in place of them. */
  numbered?(document: Found): readonly string[];
  /** What is said below that, if anything. */
  remark?(document: Found): string | undefined;
  /** One line about its address; absent: there is none. GET if it reads, else POST. */
  readonly address?: string;
  /** Its address, where that is not its name. */
  readonly path?: `/${string}`;
  /** Its address takes POST although it only reads. */
  readonly posts?: true;
  /** It may take minutes: it goes on when its client leaves, which can ask again with the same Idempotency-Key. */
  readonly slow?: true;
  /** Only the page of this machine may ask. */
  readonly ofMachine?: true;
  /** Fields of the input for the write log of addresses. */
  readonly logged?: readonly (keyof z.output<Input>)[];
  /** Absent: agents do not have it. */
  readonly tool?: AgentTool<Found>;
}

/** Lets the compiler infer the schemas. */
export function operation<Input extends Shape, Output extends Shape>(
  declared: Operation<Input, Output>,
): Operation<Input, Output> {
  return keeping(declared);
}

/** The same for one that answers more than its document. */
export function wider<Input extends Shape, Output extends Shape, Found extends object>(
  declared: Operation<Input, Output, Found> & Required<Pick<Operation<Input, Output, Found>, 'printed'>>,
): Operation<Input, Output, Found> {
  return keeping(declared);
}

/** One that only programs ask: its answer is what `run` gives, and described nowhere. */
export function procedure<Input extends Shape, Found extends object>(
  declared: Procedure<Input, Found>,
): Procedure<Input, Found> {
  return keeping({ unsigned: true, ...declared });
}

/** An operation whose input is made once: a command and its palace check with it, and each query of a batch. */
function keeping<Declared extends { readonly input: () => unknown }>(declared: Declared): Declared {
  let made: unknown;
  return {
    ...declared,
    input() {
      made ??= declared.input();
      return made;
    },
  };
}

/** An operation of any schemas: who calls it has checked the input with its own. */
// biome-ignore lint/suspicious/noExplicitAny: methods of operations with different schemas have no common type
export type AnyOperation = Operation<any, any, any>;
// biome-ignore lint/suspicious/noExplicitAny: as above
export type AnyProcedure = Procedure<any, any>;

/** What documents and runs call it: `mempalace kg` for `kg add`, also where the user types another name. */
export const commandNamed = ({ name, command = `mempalace ${name.split(' ')[0]}` }: AnyProcedure): string =>
  command;

/** Asks a palace an operation. */
export function ask<Input extends Shape, Found>(
  service: Pick<PalaceService, 'ask'>,
  operation: Procedure<Input, Found>,
  input: z.input<Input>,
  call: ServiceCall,
): Promise<Found> {
  return service.ask(operation, input, call) as Promise<Found>;
}
