import type { Command } from 'commander';
import { expect, it } from 'vitest';
import { visibleCommands, withCommonOptions } from '../../../src/cli/app/options.js';
import { program as mempalace } from '../../../src/cli/programs/mempalace.js';
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
      expect(asked && page(asked, names, width)).toBe(declared);
      expect(topic && page(topic, names, width)).toBe(declared);
    }
  },
);

it('other arguments need all commands', async () => {
  for (const argv of [
    ['no-such', '--help'],
    ['kg', 'no-such', '-h'],
    ['help', 'no-such'],
    ['list', 'wings'],
    ['--json', '--help'],
  ])
    expect(await neededOf(argv)).toBeUndefined();
});
