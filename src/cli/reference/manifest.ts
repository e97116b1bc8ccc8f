import { readFileSync } from 'node:fs';
import { inPackage } from '../../platform/in-package.js';
import type { CommandEntry } from './tree.js';

/** All programs and their commands, written by the build. */
const MANIFEST = 'dist/commands.json';

/** @returns undefined for a program that is not in the manifest, or if there is none */
export function builtProgram(name: string): CommandEntry | undefined {
  try {
    const programs: CommandEntry[] = JSON.parse(readFileSync(inPackage(MANIFEST), 'utf8'));
    return programs.find((program) => program.name === name);
  } catch {
    return undefined;
  }
}
