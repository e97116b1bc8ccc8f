import type { Command } from 'commander';
import { expect, it } from 'vitest';
import { visibleCommands, withCommonOptions } from '../../../src/cli/app/options.js';
import { wholeProgram } from '../../../src/cli/programs/mempalace.js';
import { neededOf } from '../../../src/cli/programs/needed.js';

/** The help of the command that the names lead to. */
function page(program: Command, names: readonly string[], width: number): string {
  let command = withCommonOptions(program);
  for (const name of names) {
    const next = command.commands.find((each) => each.name() === name);
    if (next === undefined) throw new Error(`no command ${name}`);
    command = withCommonOptions(next);
  }
  let text = '';
  command.configureOutput({ getOutHelpWidth: () => width, writeOut: (part) => (text += part) }).outputHelp();
  return text;
}

const mempalace = await wholeProgram();

function paths(command: Command, above: string[] = []): string[][] {
  const below = visibleCommands(withCommonOptions(command));
  return [above, ...below.flatMap((each) => paths(each, [...above, each.name()]))];
}

const PATHS = paths(mempalace).filter(([name]) => name !== 'help');

it.each(PATHS.map((names) => ({ path: names.join(' '), names })))(
  'help of the manifest is that of the declared command: $path',
  async ({ names }) => {
    for (const width of [50, 132]) {
      const [asked, topic] = await Promise.all([
        neededOf([...names, '--help']),
        neededOf(['help', ...names]),
      ]);
      const declared = page(mempalace, names, width);
      expect(page(asked, names, width)).toBe(declared);
      expect(page(topic, names, width)).toBe(declared);
    }
  },
);

const names = (program: Command): string[] => program.commands.map((each) => each.name());

it('a command is declared alone, also after common options', async () => {
  for (const argv of [
    ['list', 'wings'],
    ['--json', '--palace', 'show', 'list'],
    ['list', 'no-such', '-h'],
  ])
    expect(names(await neededOf(argv))).toEqual(['list']);
});

it('help is found among common options', async () => {
  for (const argv of [
    ['--quiet', 'help', 'kg', 'add'],
    ['help', '--json', 'kg', 'add'],
    ['--palace', 'show', 'help', 'kg', 'add'],
    ['--log-level=warn', 'help', 'kg', 'add'],
    ['kg', 'add', '--verbose', '--help'],
  ])
    expect(page(await neededOf(argv), ['kg', 'add'], 80)).toBe(page(mempalace, ['kg', 'add'], 80));
  for (const argv of [
    ['-h', 'search'],
    ['--json', '--help', 'kg'],
  ])
    expect(page(await neededOf(argv), [], 80)).toBe(page(mempalace, [], 80));
});

it('without one, its program lists all of them', async () => {
  for (const argv of [['no-such', '--help'], ['help', 'no-such'], ['help', 'kg', 'no-such'], ['--json']])
    expect(names(await neededOf(argv))).toEqual(names(mempalace));
});
