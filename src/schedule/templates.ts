import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../core/errors.js';
import { inPackage } from '../platform/in-package.js';
import { type Job, type Place, programOf, type Service } from './types.js';

/** Contained in every file and line of the toolkit. */
export const MARK = 'mempalace-toolkit';

type Filled = Pick<Place, 'home' | 'bin' | 'node' | 'environment'>;

/** A file of `contrib/`, written for a HOME with `~/.local/bin`. */
function template(path: string): string {
  return readFileSync(inPackage(`contrib/${path}`), 'utf8');
}

/** Path of the program, unless the template has it already. */
function otherBin(place: Filled, program: string): string | undefined {
  return place.bin === join(place.home, '.local', 'bin') ? undefined : join(place.bin, program);
}

/** The folder of node, unless it is in the template's PATH. */
function otherNode(place: Filled, pathOfTemplate: string): string | undefined {
  const known = pathOfTemplate
    .split(':')
    .map((part) => part.replace(/^(?:%h|\$HOME|\/Users\/USER)/, place.home));
  return known.includes(place.node) ? undefined : place.node;
}

/** @throws UserError `failed` for a line break */
function checked(text: string): string {
  if (/[\0\r\n]/.test(text)) {
    throw new UserError('failed', `${JSON.stringify(text)} cannot be part of a schedule`, {
      hint: 'a line break in a folder or a variable: rename the folder, or change the variable',
    });
  }
  return text;
}

export function systemdUnit(place: Filled, service: Service, kind: 'service' | 'timer'): string {
  const text = template(`systemd/${service}.${kind}`);
  if (kind === 'timer') return text;
  const bin = otherBin(place, programOf(service));
  const extra = Object.entries(place.environment).map(
    ([name, value]) => `Environment=${systemdWord(`${name}=${value}`)}\n`,
  );
  return text
    .replace(/^ExecStart=\S+/m, (line) => (bin === undefined ? line : `ExecStart=${systemdProgram(bin)}`))
    .replace(/^Environment=PATH=(.*)\n/m, (line, path: string) => {
      const node = otherNode(place, path);
      if (node === undefined) return line;
      return `Environment=${systemdQuote(`PATH=${systemdEscape(node)}:${path}`)}\n`;
    })
    .replace(/^Environment=MEMPALACE_LOG_FILE=.*\n/m, (line) => `${line}${extra.join('')}`);
}

/** systemd accepts neither quotes nor backslashes in a program's path, and variables only in its arguments. */
function systemdProgram(path: string): string {
  if (!/["'\\]/.test(path)) return systemdWord(path);
  return `/usr/bin/env ${systemdWord(path).replaceAll('$', () => '$$')}`;
}

function systemdWord(text: string): string {
  return systemdQuote(systemdEscape(checked(text)));
}

function systemdEscape(text: string): string {
  return text.replace(/\\/g, '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%');
}

function systemdQuote(escaped: string): string {
  return /[\s"'\\;]/.test(escaped) ? `"${escaped}"` : escaped;
}

export function launchdPlist(place: Filled, service: Service): string {
  const text = template(`launchd/${labelOf(service)}.plist`);
  const program = programOf(service);
  const bin = otherBin(place, program);
  const extra = Object.entries(place.environment).map(
    ([name, value]) => `    <key>${xml(name)}</key>\n    <string>${xml(value)}</string>\n`,
  );
  return text
    .replace(`<string>/Users/USER/.local/bin/${program}</string>`, (line) =>
      bin === undefined ? line : `<string>${xml(bin)}</string>`,
    )
    .replace(
      /(<key>PATH<\/key>\s*<string>)(.*)(<\/string>)/,
      (line, before: string, path: string, after: string) => {
        const node = otherNode(place, path);
        return node === undefined ? line : `${before}${xml(node)}:${path}${after}`;
      },
    )
    .replace(/^ {4}<key>MEMPALACE_LOG_FILE<\/key>\n/m, (line) => `${extra.join('')}${line}`)
    .replaceAll('/Users/USER', () => xml(place.home));
}

export function labelOf(service: Service): string {
  return `se.jordbo.${service}`;
}

function xml(text: string): string {
  return checked(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&apos;');
}

/** The lines of a crontab: comments, then one entry. */
export function cronLines(place: Filled, job: Job): string {
  const text = template(`cron/${job}.cron`);
  const bin = otherBin(place, job);
  const extra = Object.entries(place.environment).map(([name, value]) => `${name}=${cronWord(value)} `);
  return text
    .replace(`"$HOME/.local/bin/${job}"`, (word) => (bin === undefined ? word : cronWord(bin)))
    .replace(/PATH="([^"]*)" /, (all, path: string) => {
      const node = otherNode(place, path);
      return `${node === undefined ? all : `PATH=${cronWord(node)}:"${path}" `}${extra.join('')}`;
    });
}

/** Quotes a word for cron's shell; cron itself reads an unescaped % as the end of the line. */
function cronWord(text: string): string {
  const quoted = /^[\w@%+=:,./-]+$/.test(checked(text)) ? text : `'${text.replaceAll("'", "'\\''")}'`;
  return quoted.replaceAll('%', '\\%');
}
