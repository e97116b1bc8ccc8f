import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { isErrno } from '../core/errors.js';
import { PRIVATE_FILE } from '../core/modes.js';
import { readEnd } from './file-end.js';
import { makeFolder } from './make-folder.js';

/** Maximum size of a file; two older ones (`.1`, `.2`) are kept. */
const MOST_BYTES = 1024 * 1024;
const OLDER_KEPT = 2;
/** A rotation is shorter: an older mark was left by a killed process. */
const STALE_MS = 10_000;

/**
 * A log file, rotated by size. Each line is one write, so several processes may share the file. After another process
 * rotated it, a process continues in the new file.
 */
export class LogFile {
  #fd: number | undefined;

  constructor(
    private readonly path: string,
    private readonly mostBytes = MOST_BYTES,
  ) {}

  /** @throws the file system's error */
  append(text: string): void {
    const bytes = Buffer.from(`${text}\n`, 'utf8');
    let fd = this.#current();
    const stat = fstatSync(fd);
    if (stat.isFile() && stat.size > 0 && stat.size + bytes.length > this.mostBytes && this.#rotate(stat)) {
      fd = this.#current();
    }
    writeSync(fd, bytes);
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  /** The descriptor of the file that is now at the path; made when absent. */
  #current(): number {
    if (this.#fd !== undefined) {
      if (isSame(fstatSync(this.#fd), statSync(this.path, { throwIfNoEntry: false }))) return this.#fd;
      this.close();
    }
    const { O_WRONLY, O_APPEND, O_CREAT, O_NONBLOCK } = constants;
    makeFolder(dirname(this.path));
    // With O_NONBLOCK, a pipe without a reader is an error instead of a wait.
    this.#fd = openSync(this.path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK, PRIVATE_FILE);
    this.#tighten(this.#fd);
    return this.#fd;
  }

  /** Restricts the modes of existing logs, made with another umask. Pipes and devices stay unchanged. */
  #tighten(fd: number): void {
    // /dev/stderr may be a file that a shell made for the user.
    if (/^\/(?:dev(?!\/shm\/)|proc)\//.test(this.path) || !isOpenLog(fstatSync(fd))) return;
    fchmodSync(fd, PRIVATE_FILE);
    for (let age = 1; age <= OLDER_KEPT; age += 1) {
      const older = `${this.path}.${age}`;
      const stat = lstatSync(older, { throwIfNoEntry: false });
      if (stat !== undefined && isOpenLog(stat)) chmodSync(older, PRIVATE_FILE);
    }
  }

  /** False while another process rotates: the line then goes into the full file. */
  #rotate(full: Stats): boolean {
    const mark = `${this.path}.rotating`;
    try {
      closeSync(openSync(mark, 'wx', 0o600));
    } catch (error) {
      if (!isErrno(error, 'EEXIST')) throw error;
      const since = statSync(mark, { throwIfNoEntry: false })?.mtimeMs ?? 0;
      if (Math.abs(Date.now() - since) > STALE_MS) rmSync(mark, { force: true });
      return false;
    }
    try {
      if (isSame(full, statSync(this.path, { throwIfNoEntry: false }))) {
        for (let age = OLDER_KEPT; age > 0; age -= 1) {
          const younger = age === 1 ? this.path : `${this.path}.${age - 1}`;
          renameIfThere(younger, `${this.path}.${age}`);
        }
      }
      return true;
    } finally {
      rmSync(mark, { force: true });
    }
  }
}

/** A file of this user that others may read or write. */
function isOpenLog(stat: Stats): boolean {
  return stat.isFile() && stat.uid === process.getuid?.() && (stat.mode & 0o077) !== 0;
}

function isSame(one: Stats, other: Stats | undefined): boolean {
  return one.ino === other?.ino && one.dev === other.dev;
}

function renameIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!isErrno(error, 'ENOENT')) throw error;
  }
}

/**
 * The lines of a log and of the file that it was rotated from, newest first; none of a pipe.
 *
 * @throws the file system's error
 */
export function* logLines(path: string): Generator<string> {
  for (const file of [path, `${path}.1`]) yield* endOf(file).split('\n').reverse().filter(Boolean);
}

function endOf(file: string): string {
  try {
    return readEnd(file, MOST_BYTES).bytes.toString('utf8');
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return '';
    throw error;
  }
}
