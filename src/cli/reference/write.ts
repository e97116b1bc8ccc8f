import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { program as docs } from '../programs/docs.js';
import { program as mcp } from '../programs/mcp.js';
import { program as mempalace } from '../programs/mempalace.js';
import { program as session } from '../programs/session.js';
import { COMPLETIONS } from './completions.js';
import { manual } from './manual.js';
import { commandReference } from './markdown.js';
import { readProgram } from './tree.js';

const programs = () => [docs, session, mempalace, mcp].map(readProgram);

/** What the build puts below dist/share, by path: man pages and completions, where systems look for them. */
export function sharedFiles(date: Date): Map<string, string> {
  const all = programs();
  const names = all.map(({ name }) => name);
  return new Map(
    all.flatMap((program): [string, string][] => [
      ...manual(program, { date, programs: names }).map(({ name, text }): [string, string] => [
        `man/man1/${name}.1`,
        text,
      ]),
      [`bash-completion/completions/${program.name}`, COMPLETIONS.bash(program)],
      [`zsh/site-functions/_${program.name}`, COMPLETIONS.zsh(program)],
      [`fish/vendor_completions.d/${program.name}.fish`, COMPLETIONS.fish(program)],
    ]),
  );
}

/** Writes those files below a folder. */
export function writeSharedFiles(folder: string, date: Date): void {
  for (const [path, text] of sharedFiles(date)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

/** The text of docs/cli.md. */
export function commandPage(): string {
  return commandReference(programs());
}
