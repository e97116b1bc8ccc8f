import { Readable, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { completed, fieldsOf } from '../../../../src/adapters/fields.js';
import { wholeProgram } from '../../../../src/cli/programs/mempalace.js';
import { run } from '../../../../src/cli/start.js';
import type { Config } from '../../../../src/config/index.js';
import { facts } from '../../../../src/operations/facts/index.js';
import { temporaryFolder } from '../../../support/palace.js';

const refused = (...argv: string[]) => refusedBy('mempalace', ...argv);

/** The exit code and error of a wrong command line. */
async function refusedBy(program: Parameters<typeof run>[0], ...argv: string[]) {
  let said = '';
  const output = () =>
    new Writable({
      write(chunk, _, done) {
        said += String(chunk);
        done();
      },
    });
  const home = temporaryFolder();
  const io = { stdin: Readable.from([]), stdout: output(), stderr: output(), env: { HOME: home } };
  return { exitCode: await run(program, argv, io), said };
}

const FACT = ['a', 'is', 'b'];

it.each<[string, string[]]>([
  ['"ad" is not one of add, query', ['facts', 'ad']],
  ["missing required argument 'object'", ['facts', 'add', 'a', 'b']],
  ['too many arguments', ['facts', 'add', ...FACT, 'c']],
  ["missing required argument 'predicate'", ['facts', 'supersede', 'a']],
  ['too many arguments', ['facts', 'stats', 'a']],
  ["unknown option '--as-of'", ['facts', 'add', ...FACT, '--as-of', '2026-01-01']],
  ["unknown option '--from'", ['facts', 'query', 'a', '--from', '2026-01-01']],
  ['--confidence takes a number', ['facts', 'add', ...FACT, '--confidence', '2']],
  ['"up" is not one of outgoing, incoming, both', ['facts', 'query', 'a', '--direction', 'up']],
  ['--limit takes a whole number', ['facts', 'query', 'a', '--limit', '0']],
  ['"list" is not one of read, write', ['diary', 'list']],
  ["required option '--agent <name>'", ['diary', 'write', 'x']],
  ['too many arguments', ['diary', 'read', 'x']],
  ["unknown option '--last'", ['diary', 'write', 'x', '--agent', 'a', '--last', '3']],
  ['not a wing', ['diary', 'read', '--wing', '../x']],
])('refuses: %s', async (message, argv) => {
  const { exitCode, said } = await refused(...argv);
  expect(said).toContain(message);
  expect(exitCode).toBe(2);
});

it.each<[string, string[]]>([
  ['--stage-only and --dry-run exclude each other', ['/p', '--dry-run', '--stage-only']],
  ['--allow-removals and --include exclude each other', ['/p', '--include', 'x', '--allow-removals']],
  ['--allow-removals and --no-gitignore exclude each other', ['/p', '--no-gitignore', '--allow-removals']],
  ['--max-duration and --force exclude each other', ['/p', '--force', '--max-duration', '1h']],
  ['--max-duration must be more than 0', ['/p', '--max-duration', '0']],
  ['--all and --wing exclude each other', ['--all', '--wing', 'a']],
  ['not a wing', ['/p', '--wing', '../up']],
  ['not a wing', ['/p', '--wing', '']],
  ['--agent takes a name', ['/p', '--agent', ' ']],
  ['--wait takes a duration', ['/p', '--wait', 'soon']],
])('mempalace-docs refuses: %s', async (message, argv) => {
  const { exitCode, said } = await refusedBy('mempalace-docs', ...argv);
  expect(said).toContain(message);
  expect(exitCode).toBe(2);
});

it('a session is not repaired by a run that files nothing', async () => {
  const { exitCode, said } = await refusedBy('mempalace-session', '--repair', '--dry-run');
  expect(said).toContain('--repair and --dry-run exclude each other');
  expect(exitCode).toBe(2);
});

describe('the time of a fact', () => {
  const client = { config: {} as Config, env: {}, folders: () => [] };
  const momentOf = async (text: string) =>
    (await completed(fieldsOf(facts.kgInvalidate), { at: text }, client)).at;
  const day = (back: number) => {
    const date = new Date(Date.now() - back * 86_400_000);
    const two = (part: number) => String(part).padStart(2, '0');
    return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  };

  it.each([
    ['yesterday', 1],
    ['tomorrow', -1],
    ['3 days ago', 3],
    ['2w', 14],
  ])('%s is a day', async (words, back) => {
    expect(await momentOf(words)).toBe(day(back));
  });

  it('is passed on unchanged if it is not a day in words', async () => {
    for (const text of ['2026-03-01', '2026-03-01T12:00:00Z', '2026-13-01', 'whenever'])
      expect(await momentOf(text)).toBe(text);
  });
});

it('a missing subcommand prints help, or one JSON document under --json', async () => {
  expect(await refused('mcp')).toMatchObject({
    exitCode: 2,
    said: expect.stringContaining('Usage: mempalace mcp'),
  });
  const { exitCode, said } = await refused('mcp', '--json');
  expect(exitCode).toBe(2);
  expect(JSON.parse(said)).toMatchObject({
    error: { code: 'usage', message: 'a command is missing', exit_code: 2 },
  });
});

/** Groups that list nothing, or do something of their own when they are bare. */
const OTHERS = ['checkpoint', 'hook', 'mcp', 'serve', 'setup'];

it('a group without a subcommand does what its default command does', async () => {
  const groups = (await wholeProgram()).commands.filter((each) => each.commands.length > 0);
  for (const name of groups.map((each) => each.name()).filter((name) => !OTHERS.includes(name))) {
    const bare = await refused(name, '--json');
    expect([name, bare.exitCode]).not.toEqual([name, 2]);
    const { exitCode, said } = await refused(name, 'no-such');
    expect([name, exitCode, said]).toEqual([name, 2, expect.stringContaining('"no-such" is not one of ')]);
  }
  expect((await refused('projects')).said).toContain('more commands: mempalace projects --help');
  expect((await refused('projects', 'list')).said).not.toContain('more commands');
  expect((await refused('task', 'lst')).said).toContain('did you mean mempalace task list?');
  // A word behind an option of the command that the group does by itself.
  for (const words of [
    ['task', '--all'],
    ['diary', '--agent', 'ada'],
    ['config', '--origin'],
    ['checkpoint'],
  ])
    expect((await refused(...words, 'no-such')).said).toContain('"no-such" is not one of ');
});

it('a wrong value of an option names the option', async () => {
  expect((await refused('search', 'x', '--rank', 'bogus')).said).toContain('--rank: "bogus" is not one of');
});

it('help of a subcommand is printed again in the next run of the same process', async () => {
  for (let i = 0; i < 2; i += 1)
    expect((await refused('facts', 'stats', '--help')).said).toContain('Usage: mempalace facts stats');
});
