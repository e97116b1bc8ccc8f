import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { createCommand, withCommonOptions } from '../../../src/cli/app/options.js';
import { wholeProgram } from '../../../src/cli/programs/mempalace.js';
import { sharedFiles } from '../../../src/cli/reference/index.js';
import { manual } from '../../../src/cli/reference/manual.js';
import { argument, prose } from '../../../src/cli/reference/mdoc.js';
import { readCommand } from '../../../src/cli/reference/tree.js';
import { temporaryFolder } from '../../support/palace.js';
import { has } from '../../support/tools.js';

const DATE = new Date('2026-03-02T23:30:00Z');
const SUBCOMMANDS = readCommand(await wholeProgram()).commands.flatMap(({ commands }) =>
  commands.map(({ path }) => path.replaceAll(' ', '-')),
);
const PAGES = [...(await sharedFiles(DATE))].filter(([path]) => path.startsWith('man/'));

/** The rendered page of a program, 80 columns wide. */
function shown(text: string): string {
  const { stdout, status } = spawnSync('mandoc', ['-Tascii', '-Owidth=78'], {
    input: text,
    encoding: 'utf8',
  });
  expect(status).toBe(0);
  // Bold and underlined text is overstruck.
  return stdout.replace(/.\u0008/g, '');
}

/** Text that roff would read as requests, escapes, macros or other characters. */
const odd = (): Command =>
  withCommonOptions(
    createCommand('odd', `.Nm's "text" a\\b — ~ ^ \`x\` 100%`)
      .option('--dot <Ar>', ".dots at the start. 'quotes too. A-B --flag")
      .argument('<No>', 'Fl Ar'),
  ).addHelpText('after', '\n.Sh FAKE\n\nExamples:\n  odd "a b" \'c\' \\n -x   .start');

describe('the manual', () => {
  it('has a page for every program and every command', () => {
    const names = PAGES.map(([path]) => basename(path, '.1'));
    expect(names).toEqual(
      expect.arrayContaining(['mempalace', 'mempalace-docs', 'mempalace-session', 'mempalace-search']),
    );
    expect(names).not.toContain('mempalace-help');
    expect(new Set(names).size).toBe(names.length);
    // The broker alone runs it.
    expect(SUBCOMMANDS).not.toContain('mempalace-broker-receive');
  });

  it.each(PAGES)('%s has all sections in order', (path, text) => {
    const name = basename(path, '.1');
    const sections = [...text.matchAll(/^\.Sh (.*)$/gm)].map((match) => match[1]);
    const wanted = ['NAME', 'SYNOPSIS', 'DESCRIPTION', 'COMMANDS', 'OPTIONS', 'ENVIRONMENT', 'FILES'];
    const all = [...wanted, 'EXIT STATUS', 'EXAMPLES', 'SEE ALSO'];
    expect(sections).toEqual(all.filter((section) => sections.includes(section)));
    const missing = all.filter((section) => !sections.includes(section));
    const optional = ['COMMANDS', 'FILES'];
    // Options of a subcommand are in the page of its command.
    if (SUBCOMMANDS.includes(name)) optional.push('EXAMPLES');
    expect(missing.filter((section) => !optional.includes(section))).toEqual([]);
  });

  it('has the given date, for any clock and time zone', async () => {
    for (const [, text] of PAGES) expect(text).toContain('\n.Dd March 2, 2026\n');
    expect([...(await sharedFiles(DATE))]).toEqual([...(await sharedFiles(DATE))]);
  });

  it('is plain ASCII', () => {
    for (const [path, text] of PAGES) expect(/[^\n -~]/.exec(text)?.[0], path).toBeUndefined();
  });

  it('of a command with the name of a program has a different name', () => {
    const program = withCommonOptions(createCommand('a', 'A').addCommand(createCommand('b', 'B')));
    const pages = manual(readCommand(program), { date: DATE, programs: ['a', 'a-b'] });
    expect(pages.map(({ name }) => name)).toEqual(['a', 'a-b-command']);
    expect(pages[0]?.text).toContain('.Xr a-b-command 1');
  });

  it.skipIf(!has('mandoc'))('passes mandoc lint (skipped without mandoc)', () => {
    const folder = temporaryFolder();
    const oddPages = manual(readCommand(odd()), { date: DATE, programs: ['odd'] });
    const files = [...PAGES, ...oddPages.map(({ name, text }): [string, string] => [`${name}.1`, text])].map(
      ([path, text]) => {
        const file = join(folder, path);
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, text);
        return file;
      },
    );
    const { stdout, status } = spawnSync('mandoc', ['-Tlint', '-W', 'warning', ...files], {
      encoding: 'utf8',
    });
    expect(stdout).toBe('');
    expect(status).toBe(0);
  });

  it.skipIf(!has('mandoc'))('shows text unchanged (skipped without mandoc)', () => {
    const [page] = manual(readCommand(odd()), { date: DATE, programs: ['odd'] });
    const text = shown(page?.text ?? '');
    expect(text).toContain(`.Nm's "text" a\\b`);
    expect(text).toContain('~ ^ `x` 100%');
    expect(text).toContain('.dots at the start. ');
    expect(text).toContain(`'quotes too. A-B --flag`.replace('. ', '.  '));
    expect(text).toContain(`odd "a b" 'c' \\n -x`);
    expect(text).toContain('.Sh FAKE');
    expect(text).toContain('--dot Ar');
  });
});

describe('mdoc', () => {
  it('escapes text that looks like a request', () => {
    expect(prose(".so x\n'br")).toBe('\\&.so x\n\\(aqbr');
    expect(prose('a-b \\n é')).toBe('a\\-b \\en \\[u00E9]');
    expect(prose('One. Two')).toBe('One.\nTwo');
    expect(prose('see. .mempalaceignore. .Not')).toBe('see. .mempalaceignore. .Not');
  });

  it('keeps an argument in one piece', () => {
    expect(argument('pull <id>')).toBe('"pull <id>"');
    expect(argument('say "x"')).toBe('"say \\(dqx\\(dq"');
    expect(argument('Ar')).toBe('\\&Ar');
    expect(argument('.')).toBe('\\&.');
  });
});
