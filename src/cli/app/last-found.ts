/** What the last search in a terminal printed, by number: `mempalace show 1`. Only ids are kept, for a day. */
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../core/errors.js';
import { sha256 } from '../../core/hash.js';
import { parseJson } from '../../core/json.js';
import { plural } from '../../core/plural.js';
import { array, number, object, shaped, string } from '../../core/shape.js';
import { makeFolder } from '../../platform/make-folder.js';
import { isNamed } from './broker.js';
import type { CommandContext } from './runner.js';

const KEPT_MS = 24 * 3_600_000;
const NUMBER = /^[1-9]\d{0,3}$/;

const KEPT = object({ first: number, ids: array(string) });

type Asked = Pick<CommandContext, 'terminal' | 'folders' | 'config'>;

/** Keeps the ids of hits, unless there are none, or neither output is a terminal. @param offset hits before the first */
export function keepFound(ids: readonly string[], offset: number, context: Asked): void {
  const { stdout, stderr } = context.terminal.io;
  if (ids.length === 0) return;
  if (stdout.isTTY !== true && stderr.isTTY !== true) return;
  try {
    const folder = folderIn(context);
    makeFolder(folder);
    for (const name of readdirSync(folder))
      if (Date.now() - statSync(join(folder, name)).mtimeMs > KEPT_MS) rmSync(join(folder, name));
    writeFileSync(fileIn(context), JSON.stringify({ first: offset + 1, ids }), { mode: 0o600 });
  } catch {
    // A home that cannot be written, or another program that removes the same file: the ids are printed anyway.
  }
}

/**
 * Ids in place of the numbers of hits; other names stay.
 *
 * @throws UserError `not-found` for a number that the last search here has not printed
 */
export function numbersAsIds(names: readonly string[], context: Asked): string[] {
  return names.map((name) => (NUMBER.test(name) ? idOf(Number(name), context) : name));
}

function idOf(wanted: number, context: Asked): string {
  const kept = readKept(context);
  if (kept === undefined)
    throw new UserError('not-found', 'this terminal has not searched yet', {
      hint: 'mempalace search "what to look for" numbers its hits',
    });
  const { first, ids } = kept;
  const id = ids[wanted - first];
  if (id !== undefined) return id;
  const range = first === 1 ? '' : `, from number ${first}`;
  throw new UserError('not-found', `the last search here printed ${plural(ids.length, 'hit')}${range}`);
}

function readKept(context: Asked) {
  try {
    return shaped(KEPT, parseJson(readFileSync(fileIn(context), 'utf8')));
  } catch {
    return undefined;
  }
}

const folderIn = ({ folders }: Asked): string => join(folders.state, 'mempalace', 'found');

/** Ids of one palace mean nothing in another. */
function fileIn(context: Asked): string {
  const { config, folders } = context;
  const palace = isNamed(config) ? config.broker.use : folders.palace;
  return join(folderIn(context), sha256(`${sessionHere()}\n${palace}`).slice(0, 32));
}

/**
 * The session of the shell: on Linux the POSIX session, which each window of a terminal has, with the start of its leader;
 * elsewhere the program that started this one, which is the shell.
 */
function sessionHere(): string {
  try {
    // proc_pid_stat(5): the name in parentheses may contain spaces; the session is field 6, the start field 22.
    const fields = (pid: string): string[] =>
      readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ');
    const session = fields('self')[3] ?? '0';
    // 0: its leader is outside of this container.
    if (session !== '0') return `${session} ${fields(session)[19]}`;
  } catch {
    // No /proc, or the leader has ended.
  }
  return `parent ${process.ppid}`;
}
