import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { docsProgram } from '../../src/cli/programs/docs.js';
import { program as mcp } from '../../src/cli/programs/mcp.js';
import { wholeProgram } from '../../src/cli/programs/mempalace.js';
import { sessionProgram } from '../../src/cli/programs/session.js';
import { commandPage } from '../../src/cli/reference/index.js';
import { splitNotes } from '../../src/cli/reference/notes.js';
import { variables } from '../../src/cli/reference/surroundings.js';
import { allBelow, helpOf, readCommand } from '../../src/cli/reference/tree.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const README = read('README.md');
const CONFIGURATION = read('docs/configuration.md');

const PROGRAMS = [docsProgram(), sessionProgram(), await wholeProgram(), mcp];
const TREES = PROGRAMS.map(readCommand);
const ALL = TREES.flatMap(allBelow);
const COMMANDS = TREES.flatMap((program) => [program, ...program.commands]);
/** Commands with their own text; commander adds `help`. */
const OWN = COMMANDS.filter(({ path }) => path !== 'mempalace help');
const FLAGS = new Set(ALL.flatMap(({ options }) => options.map(({ long }) => long)));

/** The README and the pages of docs/ that are reachable from it. */
function manuals(): Map<string, string> {
  const pages = new Map([['README.md', README]]);
  for (const [page, text] of pages) {
    for (const [, link = ''] of text.matchAll(/\]\(([\w./-]+\.md)(?:#[\w-]*)?\)/g)) {
      const path = join(page, '..', link);
      if (path.startsWith('docs/') && !pages.has(path)) pages.set(path, read(path));
    }
  }
  return pages;
}

/** Environment variables that the code names, in capitals. */
function variablesOfCode(): Set<string> {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' });
  const names = files
    .filter((file) => file.endsWith('.ts') && !file.endsWith('surroundings.ts'))
    .flatMap((file) => {
      const code = read(join('src', file)).replace(/^\s*\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
      const found = (pattern: RegExp) => [...code.matchAll(pattern)].map((match) => match[1] ?? '');
      return [
        // Read by name, but not set.
        ...found(/\benv(?:\?)?\.([A-Z][A-Z0-9_]+)\b(?! = )/g),
        ...found(/\benv\[['"`]([A-Z][A-Z0-9_]+)['"`]\](?! = )/g),
        // Read from the environment: const { NAME = '' } = process.env
        ...found(/\{([^{}]*)\}\s*=\s*(?:process\.)?env\b/g).flatMap(
          (list) => list.match(/\b[A-Z][A-Z0-9_]+\b/g) ?? [],
        ),
        // Passed to a function that reads them.
        ...found(/'((?:XDG|MEMPALACE|OPENCODE|HF|OPENAI)_[A-Z0-9_]+)'/g),
        ...found(/'([a-z]+_proxy)'/g),
        ...found(/homeOf\(env, '([A-Z_]+)'/g),
      ];
    });
  return new Set(names.map((name) => name.toUpperCase()));
}

describe('the documents', () => {
  it('docs/cli.md is made from the command tree: npm run docs', async () => {
    expect(read('docs/cli.md')).toBe(await commandPage());
  });

  it('the README links to docs/cli.md', () => {
    expect([...manuals().keys()]).toContain('docs/cli.md');
  });

  it.each(OWN.map(({ path }) => path))('the README or a page that it links to explains %s', (path) => {
    const written = [...manuals()].filter(([page]) => page !== 'docs/cli.md').map(([, text]) => text);
    expect(new RegExp(`\\b${path}(?![\\w-])`).test(written.join('\n'))).toBe(true);
  });

  it('every option is in the README or in a linked page', () => {
    const text = [...manuals().values()].join('\n');
    for (const { path, options } of ALL) {
      for (const { long } of options)
        expect(new RegExp(`\`[^\`]*${long}(?![\\w-])`).test(text), `${path} ${long}`).toBe(true);
    }
  });

  it('the tables of options name only existing options', () => {
    const rows = [...read('docs/options.md').matchAll(/^\| (`--.*?) \|/gm)].map((match) => match[1] ?? '');
    expect(rows.length).toBeGreaterThan(20);
    const named = rows.flatMap((row) => row.match(/--[a-z][a-z-]*/g) ?? []);
    expect(named.filter((flag) => !FLAGS.has(flag))).toEqual([]);
  });

  it('docs/configuration.md and the manual have every variable that the code reads', () => {
    const names = [...variablesOfCode()].sort();
    expect(names).toContain('XDG_CACHE_HOME');
    expect(names).toContain('NO_COLOR');
    expect(names.filter((name) => !CONFIGURATION.includes(`\`${name}\``))).toEqual([]);
    const manual = variables().map(([name]) => name);
    expect(names.filter((name) => !manual.includes(name))).toEqual([]);
    const settings = manual.filter((name) =>
      /^MEMPALACE_(?:PALACE_PATH$|MODEL$|SEARCH_|TIMEZONE$|USES$|WAKE_UP_|BROKER|SUMMARY_)/.test(name),
    );
    for (const name of settings) expect(CONFIGURATION).toContain(`\`${name}\``);
    expect(manual.filter((name) => !names.includes(name) && !settings.includes(name))).toEqual([]);
  });
});

describe('help', () => {
  it.each(OWN)(
    '$path says what it is and what it takes',
    ({ description, arguments: entries, options, notes }) => {
      expect(description).toMatch(/^[A-Z].*[^.]$/);
      for (const { term, fullDescription: about } of entries) expect(about, term).not.toBe('');
      for (const { long, description: about, repeatable } of options) {
        expect(about, long).not.toBe('');
        expect(about.includes('(repeatable'), long).toBe(repeatable);
      }
      expect(splitNotes(notes).examples.length).toBeGreaterThan(0);
    },
  );

  it.each(OWN)('the examples of $path are valid', ({ notes }) => {
    for (const [term] of splitNotes(notes).examples) {
      // A program in the position of a command: at the start, or in $( ) and the like.
      const [words = ''] = /(?<=^|[(|] ?)mempalace.*/.exec(term) ?? [];
      const fitting = ALL.filter(({ path }) => `${words} `.startsWith(`${path} `));
      const command = fitting.sort((a, b) => b.path.length - a.path.length)[0];
      expect(command, term).toBeDefined();
      const rest = words.slice(command?.path.length);
      const known = command?.options.map(({ long }) => long) ?? [];
      const flags = rest.replace(/'[^']*'/g, '').match(/--[a-z-]+/g) ?? [];
      expect(flags.filter((flag) => !known.includes(flag))).toEqual([]);
    }
  });

  it('fits a terminal of 80 columns', () => {
    const below = (command: Command): Command[] => [command, ...command.commands.flatMap(below)];
    const lines = PROGRAMS.flatMap(below).flatMap((command) => helpOf(command).help.split('\n'));
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });
});

describe('files that the pages name', () => {
  it.each(['ARCHITECTURE.md', 'SECURITY.md', 'CONTRIBUTING.md', 'AGENTS.md', 'README.md'])(
    '%s: are there',
    (page) => {
      const named = [...read(page).matchAll(/`((?:test|src|docs|bench|scripts|contrib)\/[\w./-]+)`/g)].map(
        ([, path = '']) => path,
      );
      expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    },
  );
});
