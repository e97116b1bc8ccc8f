import { Option } from 'commander';
import { UserError } from '../../core/errors.js';
import { meant } from '../../core/suggest.js';
import type { Maybe, Typed } from './options.js';

/** Options that are not parsed by `repeatable` and may be given more than once, too. */
export const LISTS = new WeakSet<Option>();

/** Values of a list, with commas or by giving the option more than once. */
export function choicesOption<const Form extends string, const Choice extends string>(
  flags: Form,
  description: string,
  choices: readonly Choice[],
): Typed<Maybe<Form, Choice[]>> {
  const option = new Option(flags, description).choices(choices);
  LISTS.add(option);
  return option.argParser((text: string, before: Choice[] = []) => {
    const added = text.split(',').map((word) => {
      const choice = choices.find((each) => each === word.trim());
      if (choice !== undefined) return choice;
      const close = meant(word.trim(), choices);
      throw new UserError('usage', `${option.long}: "${word.trim()}" is not one of ${choices.join(', ')}`, {
        hint: close === undefined ? undefined : `did you mean ${close}?`,
      });
    });
    return [...new Set([...before, ...added])];
  });
}
