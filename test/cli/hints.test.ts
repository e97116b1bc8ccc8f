import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { expect, it } from 'vitest';
import { everyOption, pathOf, withCommonOptions } from '../../src/cli/app/options.js';
import { docsProgram } from '../../src/cli/programs/docs.js';
import { program as mcp } from '../../src/cli/programs/mcp.js';
import { wholeProgram } from '../../src/cli/programs/mempalace.js';
import { sessionProgram } from '../../src/cli/programs/session.js';
import { messagesOf } from '../support/messages.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SRC = join(ROOT, 'src');

/** Also the hidden ones. */
const allOf = (command: Command): Command[] => [
  withCommonOptions(command),
  ...command.commands.flatMap(allOf),
];
const COMMANDS = new Map(
  [docsProgram(), sessionProgram(), await wholeProgram(), mcp]
    .flatMap(allOf)
    .map((each) => [pathOf(each), each]),
);

/** What documents and runs call commands that have another name now (`core/renamed.ts`). */
const SIGNED = /^mempalace (?:kg|kg forget|metabolism|metabolism --apply)$/;

/** Every sentence of the code, with where it is: hints, notes and help texts among them. */
const SENTENCES = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .flatMap((name) => messagesOf(readFileSync(join(SRC, name), 'utf8')).map((text) => ({ name, text })))
  .filter(({ text }) => !SIGNED.test(text));

const found = (pattern: RegExp): { name: string; match: RegExpMatchArray }[] =>
  SENTENCES.flatMap(({ name, text }) => [...text.matchAll(pattern)].map((match) => ({ name, match })));

/** Verbs after the name of a program or a group: `mempalace serve is running`. */
const VERBS = new Set(['is', 'prints', 'files', 'taken']);
/** Options of other programs: systemctl, git, npm, and the tests of this package. */
const ELSEWHERE = new Set('--user --now --no-optional-locks --allow-scripts --path --update'.split(' '));
/** Files of a project in examples. */
const EXAMPLES = new Set(['docs/secret.md', 'docs/handbook.md']);

it('every command that a sentence names is there', () => {
  const named = found(/(?<![\w./$@-])mempalace(?:-docs|-session|-mcp)?(?: [a-z][a-z-]*)*(?![\w-]*[./:(])/g);
  expect(named.length).toBeGreaterThan(100);
  const wrong = named.flatMap(({ name, match: [words] }) => {
    let path = '';
    for (const word of words.split(' ')) {
      const next = path === '' ? word : `${path} ${word}`;
      if (COMMANDS.has(next)) path = next;
      else if ((COMMANDS.get(path)?.commands.length ?? 0) > 0 && !VERBS.has(word))
        return [`${name}: ${words}`];
      else break;
    }
    return [];
  });
  expect(wrong).toEqual([]);
});

it('every option that a sentence names is there', () => {
  const options = new Set(
    [...COMMANDS.values()].flatMap((each) => everyOption(each).map(({ long }) => long)),
  );
  const wrong = found(/(?<![\w-])--[a-z][a-z-]+/g).filter(
    ({ match: [flag] }) => !options.has(flag) && !ELSEWHERE.has(flag),
  );
  expect(wrong.map(({ name, match: [flag] }) => `${name}: ${flag}`)).toEqual([]);
});

it('every page and section that a sentence names is there', () => {
  const wrong = found(/(?<![\w/])((?:docs|contrib)\/[\w./-]+|[A-Z]{4,}\.md)(?:#([\w-]+))?/g).filter(
    ({ match: [, path = '', section] }) => {
      const file = join(ROOT, path.replace(/[.,]$/, ''));
      if (!existsSync(file)) return !EXAMPLES.has(path);
      const heads = section === undefined ? [] : [...readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm)];
      return (
        section !== undefined &&
        !heads.some(([, head = '']) => head.toLowerCase().replace(/\W+/g, '-') === section)
      );
    },
  );
  expect(wrong.map(({ name, match: [path] }) => `${name}: ${path}`)).toEqual([]);
  expect(
    found(/\bthe (?:README|documentation)\b|§ ?\d/g).map(({ name, match: [text] }) => `${name}: ${text}`),
  ).toEqual([]);
});
