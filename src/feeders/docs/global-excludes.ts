import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { resolveLinks } from '../../platform/resolve-links.js';
import { configuredPath } from './git.js';
import { readSmallFile } from './ignore-rules.js';

/**
 * The patterns that the user's git ignores in every repository: of `core.excludesFile` in any configuration that git
 * reads, else of `git/ignore` in the folder of XDG.
 *
 * @param repository its folder
 * @throws the file system's error, since the patterns may say what is private
 */
export async function globalExcludes(repository: string): Promise<string | undefined> {
  const { XDG_CONFIG_HOME: xdg, HOME: home = homedir() } = process.env;
  const config = xdg === undefined || xdg === '' ? join(home, '.config') : xdg;
  const told = await configuredPath(repository, 'core.excludesFile');
  const configured = told === undefined ? readWithoutGit(repository, config, home) : told;
  if (configured === '') return undefined;
  return readLinked(configured === null ? join(config, 'git', 'ignore') : resolve(repository, configured));
}

/** Git follows a link to this file, which may be in a folder of dotfiles. */
function readLinked(path: string): string | undefined {
  const file = resolveLinks(path);
  return file === undefined ? undefined : readSmallFile(file, dirname(file));
}

/** For a machine on which git is not found: the files that git reads, with `include.path`, but without conditions. */
function readWithoutGit(repository: string, config: string, home: string): string | null {
  const { GIT_CONFIG_NOSYSTEM: noSystem = '', GIT_CONFIG_GLOBAL: global } = process.env;
  const files = [
    ...(/^(?:1|true|yes|on)$/i.test(noSystem) ? [] : [process.env.GIT_CONFIG_SYSTEM ?? '/etc/gitconfig']),
    ...(global === undefined ? [join(config, 'git', 'config'), join(home, '.gitconfig')] : [global]),
    join(repository, '.git', 'config'),
  ];
  return files.flatMap((file) => excludesFileIn(file, home, 0)).at(-1) ?? null;
}

/** As git. */
const MOST_INCLUDES = 10;
const SECTION = /^\s*\[([\w.-]+)(?:\s+"(?:[^"\\]|\\.)*")?\]/;
const SETTING = /^\s*(?:\[[^\]]*\])?\s*(excludesfile|path)\s*=\s*(.*)$/i;

/** The values of `core.excludesFile` in a file and in those that it includes, in order. */
function excludesFileIn(file: string, home: string, depth: number): string[] {
  let text: string;
  try {
    text = depth > MOST_INCLUDES ? '' : readFileSync(file, 'utf8');
  } catch {
    return [];
  }
  let section = '';
  return text.split(/\r?\n/).flatMap((row) => {
    section = SECTION.exec(row)?.[1]?.toLowerCase() ?? section;
    const [, key = '', given = ''] = SETTING.exec(row) ?? [];
    const value = given
      .replace(/"((?:[^"\\]|\\.)*)"|\s*[#;].*$/g, (_, inQuotes: string | undefined) => inQuotes ?? '')
      .trim()
      .replace(/\\(.)/g, '$1')
      .replace(/^~(?=\/)/, home);
    if (section === 'core' && /^excludesfile$/i.test(key)) return [value];
    if (section !== 'include' || !/^path$/i.test(key)) return [];
    return excludesFileIn(resolve(dirname(file), value), home, depth + 1);
  });
}
