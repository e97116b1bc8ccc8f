import type { Command } from 'commander';
import { expect, it } from 'vitest';
import { visibleCommands, withCommonOptions } from '../../../src/cli/app/options.js';
import { DAILY, wholeProgram } from '../../../src/cli/programs/mempalace.js';
import { neededOf as needed } from '../../../src/cli/programs/needed.js';

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
const neededOf = async (argv: string[]): Promise<Command> => (await needed(argv)).program;

function paths(command: Command, above: string[] = []): string[][] {
  const below = visibleCommands(withCommonOptions(command));
  return [above, ...below.flatMap((each) => paths(each, [...above, each.name()]))];
}

const PATHS = paths(mempalace).filter(([name]) => name !== undefined && name !== 'help');

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

it('--help lists the commands of daily use, and help --all all of them', async () => {
  const used = DAILY.filter((name) => mempalace.commands.some((each) => each.name() === name));
  expect(used).toEqual(DAILY);
  for (const argv of [[], ['-h'], ['--json', '--help', 'facts'], ['help'], ['--quiet', 'help']]) {
    const short = page(await neededOf(argv), [], 80);
    const listed = /\nCommands:\n(.*?)\n\n/s.exec(short)?.[1]?.match(/^ {2}[\w-]+/gm);
    expect(listed?.map((name) => name.trim())).toEqual(used);
    expect(short).toContain('\nAll commands: mempalace help --all\n');
  }
  for (const argv of [
    ['help', '--all'],
    ['--palace', 'x', 'help', '--all'],
  ])
    for (const width of [50, 132])
      expect(page(await neededOf(argv), [], width)).toBe(page(mempalace, [], width));
});

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
    ['--quiet', 'help', 'facts', 'add'],
    ['help', '--json', 'facts', 'add'],
    ['--palace', 'show', 'help', 'facts', 'add'],
    ['--log-level=warn', 'help', 'facts', 'add'],
    ['facts', 'add', '--verbose', '--help'],
  ])
    expect(page(await neededOf(argv), ['facts', 'add'], 80)).toBe(page(mempalace, ['facts', 'add'], 80));
});

it('without one, its program knows all of them', async () => {
  for (const argv of [
    ['no-such', '--help'],
    ['help', 'no-such'],
    ['help', 'facts', 'no-such'],
  ])
    expect(names(await neededOf(argv))).toEqual(names(mempalace));
});

it.each([
  ['kg query shop', 'facts query shop'],
  ['--palace kg --json conflicts', '--palace kg --json facts conflicts'],
  ['help metabolism', 'help suggestions'],
  ['help -q conflicts', 'help -q facts conflicts'],
  ['metabolism --help', 'suggestions --help'],
  ['search kg', 'search kg'],
  ['facts query kg', 'facts query kg'],
  ['help constructor', 'help constructor'],
])('a former name stands for the new one: %s', async (former, now) => {
  const { program, argv } = await needed(former.split(' '));
  expect(argv.join(' ')).toBe(now);
  const again = await needed(now.split(' '));
  expect([names(program), again.argv]).toEqual([names(again.program), argv]);
});
