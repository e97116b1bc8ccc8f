import { docsProgram } from '../programs/docs.js';
import { program as mcp } from '../programs/mcp.js';
import { wholeProgram } from '../programs/mempalace.js';
import { sessionProgram } from '../programs/session.js';
import { manual } from './manual.js';
import { commandReference } from './markdown.js';
import { COMPLETIONS } from './shells.js';
import { type CommandEntry, readCommand } from './tree.js';

/** The manifest: all programs and their commands as plain data. */
export const builtPrograms = async (): Promise<CommandEntry[]> =>
  [docsProgram(), sessionProgram(), await wholeProgram(), mcp].map(readCommand);

/** Man pages and completions by path below dist/share, in the usual folders. */
export async function sharedFiles(date: Date): Promise<Map<string, string>> {
  const all = await builtPrograms();
  const names = all.map(({ name }) => name);
  return new Map(
    all.flatMap((program): [string, string][] => [
      ...manual(program, { date, programs: names }).map(({ name, text }): [string, string] => [
        `man/man1/${name}.1`,
        text,
      ]),
      [`bash-completion/completions/${program.name}`, COMPLETIONS.bash(program.name)],
      [`zsh/site-functions/_${program.name}`, COMPLETIONS.zsh(program.name)],
      [`fish/vendor_completions.d/${program.name}.fish`, COMPLETIONS.fish(program.name)],
    ]),
  );
}

/** docs/cli.md */
export async function commandPage(): Promise<string> {
  return commandReference(await builtPrograms());
}
