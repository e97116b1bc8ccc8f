import { accessSync, constants, lstatSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { type DoctorContext, type Finding, fail, ok, warn } from './context.js';
import { newTerminal, pathCure, reinstallCure } from './cure.js';

const PROGRAMS = ['mempalace', 'mempalace-docs', 'mempalace-mcp', 'mempalace-session'];
/** Written by install.sh: the folder of its links, and the mark of its line in a shell's startup file. */
const PREFIX_FILE = '.prefix';
const MARK = '# mempalace-toolkit';
const SKILL = join('.agents', 'skills', 'opencode-mempalace-bridge');

/** Which programs a shell would start, whether they belong to this installation, and dangling links. */
export function checkLinks({ env, folders, root }: DoctorContext): Finding[] {
  const path = (env.PATH ?? '').split(delimiter).filter(isAbsolute);
  const links = join(prefixOf(root) ?? join(folders.home, '.local'), 'bin');
  const dangling = [...new Set([links, ...path])]
    .flatMap((folder) => PROGRAMS.map((name) => join(folder, name)))
    .concat(join(folders.home, SKILL), join(folders.home, SKILL, 'SKILL.md'))
    .filter(isDangling)
    .map((link) =>
      fail('links', `${link} is a broken link: its target was moved or removed`, reinstallCure(root)),
    );
  const written = lineOnPath(links, folders.home, env);
  return [...dangling, ...startedFindings(path, { links, written }, root)];
}

interface Started {
  name: string;
  /** The first program of that name on PATH. */
  first: string | undefined;
  /** Whether that, or else the link in ~/.local/bin, leads to this package. */
  own: boolean;
}

/** @param installed the folder of install.sh's links, and a shell's startup file that already contains it */
function startedFindings(
  path: readonly string[],
  { links, written }: { links: string; written: string | undefined },
  root: string,
): Finding[] {
  const label = 'PATH';
  const started = PROGRAMS.map((name): Started => {
    const first = path.map((folder) => join(folder, name)).find(isProgram);
    return { name, first, own: leadsTo(first ?? join(links, name), join(root, 'bin', name)) };
  });
  const others = started.filter(({ first, own }) => first !== undefined && !own);
  const missing = started.filter(({ first }) => first === undefined);
  const findings = others.map(({ name, first }) =>
    warn(
      label,
      `${name} is ${first}, not the one of this installation (${join(root, 'bin', name)})`,
      leadsTo(join(links, name), join(root, 'bin', name))
        ? `put ${links} before it on PATH, or remove the other one`
        : `${reinstallCure(root)}, or remove the other one`,
    ),
  );
  const names = missing.map(({ name }) => name).join(', ');
  if (missing.length > 0) {
    const linked = missing.every(({ own }) => own);
    findings.push(
      linked
        ? warn(
            label,
            `${links} is not on PATH${written === undefined ? '' : ' of this terminal'}: ${names}`,
            written === undefined ? pathCure(root, links) : newTerminal(written),
          )
        : warn(label, `not on PATH: ${names}`, reinstallCure(root)),
    );
  }
  const [program] = started;
  if (findings.length > 0 || program === undefined) return findings;
  return [ok(label, `${program.name} is ${program.first}, of this installation`)];
}

function prefixOf(root: string): string | undefined {
  try {
    return readFileSync(join(root, PREFIX_FILE), 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}

/** A shell's startup file that puts a folder on PATH, by install.sh's line or the user's own. */
function lineOnPath(folder: string, home: string, env: NodeJS.ProcessEnv): string | undefined {
  const below = folder.startsWith(`${home}/`) ? folder.slice(home.length) : undefined;
  const names = [folder, ...(below === undefined ? [] : [`$HOME${below}`, `\${HOME}${below}`, `~${below}`])];
  const config = env.XDG_CONFIG_HOME || join(home, '.config');
  const files = ['.bashrc', '.bash_profile', '.profile', '.zshrc'].map((name) => join(home, name));
  if (env.ZDOTDIR) files.push(join(env.ZDOTDIR, '.zshrc'));
  return [...files, join(config, 'fish', 'config.fish')].find((file) =>
    linesOf(file).some((text) => {
      const sets = text.endsWith(MARK) || /^(?:export\s+)?PATH=|^fish_add_path\b|^set\b.*\bPATH\b/.test(text);
      return sets && names.some((name) => text.includes(name));
    }),
  );
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .map((text) => text.trim());
  } catch {
    return [];
  }
}

function leadsTo(path: string, program: string): boolean {
  const real = realPathOf(path);
  return real !== undefined && real === realPathOf(program);
}

function isDangling(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink() && statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
