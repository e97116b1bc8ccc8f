import { lstatSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { firstOn, foldersOnPath } from '../../platform/on-path.js';
import { textOrEmpty } from '../../platform/read-text.js';
import { resolveLinks } from '../../platform/resolve-links.js';
import { type DoctorContext, type Found, fail, ok, warn } from './context.js';
import { newTerminal, pathCure, reinstallCure } from './cure.js';

const PROGRAMS = ['mempalace', 'mempalace-docs', 'mempalace-mcp', 'mempalace-session'];
/** Written by install.sh: the folder of its links, and the mark of its line in a shell's startup file. */
const PREFIX_FILE = '.prefix';
const MARK = '# mempalace-toolkit';
const SETS_PATH = /^(?:export\s+)?PATH=|^fish_add_path\b|^set\b.*\bPATH\b/;
const SKILLS = ['opencode-mempalace-bridge', 'mempalace'].map((name) => join('.agents', 'skills', name));

/** Which programs a shell would start, whether they belong to this installation, and dangling links. */
export function checkLinks({ env, folders, root }: DoctorContext): Found[] {
  const path = foldersOnPath(env);
  const links = join(textOrEmpty(join(root, PREFIX_FILE)).trim() || join(folders.home, '.local'), 'bin');
  const dangling = [...new Set([links, ...path])]
    .flatMap((folder) => PROGRAMS.map((name) => join(folder, name)))
    .concat(SKILLS.flatMap((skill) => [join(folders.home, skill), join(folders.home, skill, 'SKILL.md')]))
    .filter(isDangling)
    .map((link) => fail(`${link} is a broken link: its target was moved or removed`, reinstallCure(root)));
  const label = 'PATH';
  const findings: Found[] = [];
  const missing: { name: string; linked: boolean }[] = [];
  for (const name of PROGRAMS) {
    const own = join(root, 'bin', name);
    const linked = leadsTo(join(links, name), own);
    const first = firstOn(path, name);
    if (first === undefined) missing.push({ name, linked });
    else if (!leadsTo(first, own)) {
      const cure = linked ? `put ${links} before it on PATH` : reinstallCure(root);
      const detail = `${name} is ${first}, not the one of this installation (${own})`;
      findings.push(warn(detail, `${cure}, or remove the other one`, label));
    }
  }
  const names = missing.map(({ name }) => name).join(', ');
  const written = lineOnPath(links, folders.home, env);
  if (missing.some(({ linked }) => !linked))
    findings.push(warn(`not on PATH: ${names}`, reinstallCure(root), label));
  else if (missing.length > 0)
    findings.push(
      written === undefined
        ? warn(`${links} is not on PATH: ${names}`, pathCure(root, links), label)
        : warn(`${links} is not on PATH of this terminal: ${names}`, newTerminal(written), label),
    );
  if (findings.length > 0) return [...dangling, ...findings];
  return [...dangling, ok(`mempalace is ${firstOn(path, 'mempalace')}, of this installation`, label)];
}

/** A shell's startup file that puts a folder on PATH, by install.sh's line or the user's own. */
function lineOnPath(folder: string, home: string, env: NodeJS.ProcessEnv): string | undefined {
  const below = folder.startsWith(`${home}/`) ? folder.slice(home.length) : undefined;
  const names = [folder, ...(below === undefined ? [] : [`$HOME${below}`, `\${HOME}${below}`, `~${below}`])];
  const config = env.XDG_CONFIG_HOME || join(home, '.config');
  const files = ['.bashrc', '.bash_profile', '.profile', '.zshrc'].map((name) => join(home, name));
  if (env.ZDOTDIR) files.push(join(env.ZDOTDIR, '.zshrc'));
  return [...files, join(config, 'fish', 'config.fish')].find((file) =>
    textOrEmpty(file)
      .split('\n')
      .map((text) => text.trim())
      .filter((text) => text.endsWith(MARK) || SETS_PATH.test(text))
      .some((text) => names.some((name) => text.includes(name))),
  );
}

function leadsTo(path: string, program: string): boolean {
  const real = resolveLinks(path);
  return real !== undefined && real === resolveLinks(program);
}

function isDangling(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink() && statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}
