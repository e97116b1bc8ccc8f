/** Operations as commands: arguments, options, `--json` and the text are made of their declarations. */
import { Argument, type Command, Option } from 'commander';
import type { z } from 'zod';
import { EXIT } from '../cli/app/exit.js';
import { withService, withWriter } from '../cli/app/open-service.js';
import {
  type CommonFlags,
  choiceOption,
  countOption,
  createCommand,
  declareLater,
  repeatable,
  shareOption,
} from '../cli/app/options.js';
import { action, type CommandContext } from '../cli/app/runner.js';
import { announceUnredacted } from '../cli/app/sanitiser.js';
import { renamed } from '../core/renamed.js';
import { type AnyOperation, commandNamed } from '../operations/operation.js';
import { workingFolder } from '../platform/checkout.js';
import { parseCount } from '../terminal/durations.js';
import { viewOf } from '../terminal/labels.js';
import { printLong } from '../terminal/pager.js';
import { completed, type Field, fieldsOf } from './fields.js';

/** @param instead does what may be done in its place: true if it was */
export function commandOf(
  operation: AnyOperation,
  instead?: (context: CommandContext, flags: CommonFlags) => Promise<boolean>,
): Command {
  const { name, summary = '' } = operation;
  const command = createCommand(renamed(name).split(' ').at(-1) ?? name, summary);
  let all: readonly Field[] = [];
  declareLater(command, () => {
    all = fieldsOf(operation);
    declareFields(command, all.filter(isAtTerminal), operation.groups);
    if (operation.long !== undefined) command.option('--no-pager', 'do not use a pager');
  });
  return command.action(
    action(async (context, flags: CommonFlags & { pager: boolean }, ...given: unknown[]) => {
      const fields = all.filter(isAtTerminal);
      if ((await instead?.(context, flags)) === true) return EXIT.done;
      const { config, env, terminal, folders } = context;
      const client = { config, env, home: folders.home, folders: workingFolder };
      const input = await completed(all, inputOf(fields, { ...flags }, given), client, formName);
      for (const { name, piped } of fields)
        if (piped !== undefined && ['', '-', undefined].includes(input[name] as string | undefined))
          input[name] = await (await import('../cli/app/stdin.js')).readPiped(context, name, piped);
      for (const { name, hits } of fields)
        if (hits && input[name] !== undefined) {
          const { numbersAsIds } = await import('../cli/app/last-found.js');
          const ids = numbersAsIds([input[name]].flat() as string[], context);
          input[name] = Array.isArray(input[name]) ? ids : ids[0];
        }
      if (input.redact === false) announceUnredacted(false, context);
      const { checked, printedOf } = await import('../operations/index.js');
      const taken = checked(operation, input);
      operation.atTerminal?.(taken);
      await operation.check?.(taken);
      const each = fields.find(({ name, each }) => each !== undefined && taken[name] === true)?.each;
      const work = async (...[service, call]: Parameters<Parameters<typeof withService>[1]>) => {
        let isFound = false;
        const answer = async (input: Record<string, unknown>): Promise<void> => {
          const document = await service.ask(operation, input, call);
          call.signal.throwIfAborted();
          const isJson = terminal.options.json || each !== undefined;
          if (isJson) terminal.document(await printedOf(operation, document, taken));
          if ((await operation.text?.(document, terminal, taken)) !== 'nothing found') isFound = true;
          if (isJson) return;
          const long = await operation.long?.(document, viewOf(terminal, folders.home), taken);
          if (long !== undefined) await printLong(terminal, flags.pager, [long]);
          const remark = operation.remark?.(document);
          if (remark !== undefined) terminal.note(remark);
          const shown = operation.numbered?.(document);
          if (shown !== undefined)
            (await import('../cli/app/last-found.js')).keepFound(shown, Number(taken.offset), context);
        };
        if (each === undefined) await answer(input);
        else for await (const text of linesOf(context)) await answer({ ...input, [each]: text });
        return isFound ? EXIT.done : EXIT.nothingFound;
      };
      if (operation.reads === true) return withService(context, work);
      const writer = { command: commandNamed(operation), make: operation.makes === true };
      return withWriter(context, writer, work);
    }),
  );
}

async function* linesOf({ terminal, signal }: CommandContext): AsyncGenerator<string> {
  const { createInterface } = await import('node:readline');
  yield* createInterface({ input: terminal.io.stdin, signal });
  signal.throwIfAborted();
}

function declareFields(
  command: Command,
  fields: readonly Field[],
  groups: Readonly<Record<string, string>> = {},
): void {
  const terms = fields.filter(isArgument).flatMap((field) => formOf(field).split(/ (?=[<[])/));
  // Commander takes the needed ones first.
  const ordered = terms.toSorted((one, other) => Number(isOptional(one)) - Number(isOptional(other)));
  if (ordered.join() !== terms.join()) command.usage(['[options]', ...terms].join(' '));
  for (const term of ordered) command.addArgument(argumentOf(term, fields));
  for (const field of fields) {
    const group = groups[field.name];
    if (group !== undefined) command.optionsGroup(group);
    if (isArgument(field)) continue;
    command.addOption(optionOf(field));
    if (field.off !== undefined) command.option(...field.off);
  }
}

const isAtTerminal = ({ hidden, cli }: Field): boolean => !hidden && cli !== null;
const formOf = ({ cli, name, base, moment }: Field): string =>
  cli ?? `--${name.replaceAll('_', '-')}${moment ? ' <moment>' : (VALUES[base._zod.def.type] ?? ' <name>')}`;
/** `--since` of `--since <when>` */
const formName = (field: Field): string => formOf(field).split(' ')[0] ?? field.name;
const attributeOf = (form: string): string => new Option(form).attributeName();
const VALUES: Readonly<Record<string, string>> = { boolean: '', number: ' <n>' };
const isArgument = (field: Field): boolean => /^[<[]/.test(formOf(field));
const isOptional = (term: string): boolean => term.startsWith('[');

/** A tuple says once what its parts are. */
function argumentOf(term: string, fields: readonly Field[]): Argument {
  const field = fields.find((each) => isArgument(each) && formOf(each).split(' ').includes(term));
  if (field === undefined) throw new Error(`no field is ${term}`);
  const { description, base, hits } = field;
  const argument = new Argument(term, hits ? `${description}; or the number of a hit` : description);
  return base._zod.def.type === 'number'
    ? argument.argParser((text: string) => parseCount(description, text, leastOf(base)))
    : argument;
}

function optionOf(field: Field): Option {
  const { base, otherwise, atTerminal = otherwise, usual, usually, formerly } = field;
  const description = field.description + (usually === undefined ? '' : ` (default: ${usually})`);
  const { def } = base._zod;
  const form = formOf(field);
  const option =
    def.type === 'enum'
      ? choiceOption(form, description, Object.keys(def.entries))
      : def.type !== 'number'
        ? new Option(form, description)
        : 'format' in def
          ? countOption(form, description, leastOf(base))
          : shareOption(form, description);
  if (field.off !== undefined) option.conflicts(attributeOf(field.off[0]));
  if (def.type === 'array') option.argParser(repeatable);
  if (formerly !== undefined) {
    const { parseArg } = option;
    option.argParser((text, previous) => parseArg?.(formerly[text] ?? text, previous));
  }
  // That nothing is skipped goes without saying.
  if (def.type !== 'boolean' && atTerminal !== undefined && atTerminal !== 0) option.default(atTerminal);
  if (!field.isOptional && usual === undefined) option.makeOptionMandatory();
  return option;
}

function leastOf({ _zod: { def } }: Field['base']): number {
  const bounds = (def.checks ?? []).map(({ _zod: { def } }) => def as { check: string; value?: unknown });
  return Number(bounds.find(({ check }) => check === 'greater_than')?.value ?? 0);
}

/** @param given the arguments, in their order */
function inputOf(
  fields: readonly Field[],
  flags: Record<string, unknown>,
  given: readonly unknown[],
): z.core.util.LoosePartial<Record<string, unknown>> {
  const values = given.filter((value) => value !== undefined);
  const places = fields.filter(isArgument);
  const sizes = places.map((field) => formOf(field).split(/ (?=[<[])/).length);
  const spare =
    values.length -
    places.reduce((sum, each, at) => sum + (isOptional(formOf(each)) ? 0 : (sizes[at] ?? 1)), 0);
  const named: [string, unknown][] = [];
  let at = 0;
  for (const [index, field] of places.entries()) {
    if (isOptional(formOf(field)) && spare <= 0) {
      if (isWords(field)) named.push([field.name, '']);
      continue;
    }
    const size = sizes[index] ?? 1;
    const taken = values.slice(at, at + size);
    at += size;
    named.push([
      field.name,
      size > 1 ? taken : field.base._zod.def.type === 'array' ? taken.flat() : joined(taken[0]),
    ]);
  }
  for (const field of fields) {
    if (isArgument(field)) continue;
    const isOff = field.off !== undefined && flags[attributeOf(field.off[0])] === true;
    const value = isOff ? false : flags[attributeOf(formOf(field))];
    if (value !== undefined) named.push([field.name, value]);
  }
  return Object.fromEntries(named);
}

const isWords = ({ base, isOptional }: Field): boolean => base._zod.def.type === 'string' && !isOptional;
/** The words of `<text...>`, as one text. */
const joined = (value: unknown): unknown => (Array.isArray(value) ? value.join(' ') : value);
