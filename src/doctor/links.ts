import { accessSync, constants, lstatSync, realpathSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import type { DoctorContext } from './context.js';
import { pathCure, reinstallCure } from './cure.js';
import { type Finding, fail, ok, warn } from './finding.js';

const PROGRAMS = ['mempalace', 'mempalace-docs', 'mempalace-mcp', 'mempalace-session'];
const SKILL = join('.agents', 'skills', 'opencode-mempalace-bridge');

/** Which programs a shell would start, whether they are these, and links that lead nowhere. */
export function checkLinks({ env, folders, root }: DoctorContext): Finding[] {
  const path = (env.PATH ?? '').split(delimiter).filter(isAbsolute);
  const links = join(folders.home, '.local', 'bin');
  const dangling = [...new Set([links, ...path])]
    .flatMap((folder) => PROGRAMS.map((name) => join(folder, name)))
    .concat(join(folders.home, SKILL), join(folders.home, SKILL, 'SKILL.md'))
    .filter(isDangling)
    .map((link) =>
      fail('links', `${link} leads nowhere: what it named was moved or removed`, reinstallCure(root)),
    );
  return [...dangling, ...startedFindings(path, links, root)];
}

interface Started {
  name: string;
  /** What a shell starts under that name. */
  first: string | undefined;
  /** Whether that, or else the link in ~/.local/bin, is the program of this package. */
  own: boolean;
}

function startedFindings(path: readonly string[], links: string, root: string): Finding[] {
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
      `${name} is ${first}, which is another one than this (${join(root, 'bin', name)})`,
      `${reinstallCure(root)}, or remove the other one`,
    ),
  );
  const names = missing.map(({ name }) => name).join(', ');
  if (missing.length > 0) {
    const linked = missing.every(({ own }) => own);
    findings.push(
      linked
        ? warn(label, `${links} is not on PATH: ${names}`, pathCure(root, links))
        : warn(label, `not on PATH: ${names}`, reinstallCure(root)),
    );
  }
  const [program] = started;
  if (findings.length > 0 || program === undefined) return findings;
  return [ok(label, `${program.name} is ${program.first}, which is this one`)];
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
