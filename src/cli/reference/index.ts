import { program as docs } from '../programs/docs.js';
import { program as mcp } from '../programs/mcp.js';
import { program as mempalace } from '../programs/mempalace.js';
import { program as session } from '../programs/session.js';
import { bashCompletion } from './bash.js';
import { fishCompletion } from './fish.js';
import { manual } from './manual.js';
import { commandReference } from './markdown.js';
import type { Shell } from './shells.js';
import { type CommandEntry, readCommand } from './tree.js';
import { zshCompletion } from './zsh.js';

const programs = (): CommandEntry[] => [docs, session, mempalace, mcp].map(readCommand);

export const COMPLETIONS: Record<Shell, (program: CommandEntry) => string> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

/** One script for all programs. */
export function completionScript(shell: Shell): string {
  return programs().map(COMPLETIONS[shell]).join('\n');
}

/** Man pages and completions by path below dist/share, in the usual folders. */
export function sharedFiles(date: Date): Map<string, string> {
  const all = programs();
  const names = all.map(({ name }) => name);
  return new Map(
    all.flatMap((program): [string, string][] => [
      ...manual(program, { date, programs: names }).map(({ name, text }): [string, string] => [
        `man/man1/${name}.1`,
        text,
      ]),
      [`bash-completion/completions/${program.name}`, bashCompletion(program)],
      [`zsh/site-functions/_${program.name}`, zshCompletion(program)],
      [`fish/vendor_completions.d/${program.name}.fish`, fishCompletion(program)],
    ]),
  );
}

/** docs/cli.md */
export function commandPage(): string {
  return commandReference(programs());
}
