import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { EXIT, EXIT_MEANINGS, exitsOf } from '../../../src/cli/app/exit.js';

const COMMANDS = fileURLToPath(new URL('../../../src/cli/commands/', import.meta.url));
const codesOf = (path: string): string[] => exitsOf(path).map(([code]) => code);

/** The run of `mempalace` behind its server, which passes on what others return. */
const folders = readdirSync(COMMANDS, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== 'server')
  .map(({ name }) => name);

it.each(folders)('the page of %s has the exit codes that its modules name', (folder) => {
  const code = readdirSync(join(COMMANDS, folder))
    .map((name) => readFileSync(join(COMMANDS, folder, name), 'utf8'))
    .join('\n');
  const path = ['docs', 'session'].includes(folder) ? `mempalace-${folder}` : `mempalace ${folder}`;
  if (code.includes('EXIT.incomplete')) expect(codesOf(path)).toContain(String(EXIT.incomplete));
  if (code.includes('EXIT.nothingFound')) expect(codesOf(path)).toContain(String(EXIT.nothingFound));
});

it('a group has the codes of its commands, a program all, and a command without a palace is never locked', () => {
  expect(codesOf('mempalace')).toEqual(EXIT_MEANINGS.map(([code]) => code));
  expect(codesOf('mempalace facts')).toEqual(['0', '1', '2', '3', '4', '11', '130']);
  expect(codesOf('mempalace facts add')).toEqual(['0', '1', '2', '11', '130']);
  expect(codesOf('mempalace config set')).toEqual(['0', '1', '2', '130']);
});
