import { join, resolve } from 'node:path';
import { messageOf, UserError } from '../../core/errors.js';
import { LOG_LEVELS, type LogLevel } from '../../core/logs.js';
import { line } from '../../core/outside.js';
import { LogFile } from '../../platform/log-file.js';

export interface LogFlags {
  logFile?: string;
  logLevel?: string;
}

export interface LogConfig {
  /** Absolute; undefined if nothing is logged. */
  file: string | undefined;
  level: LogLevel;
}

/**
 * File and level of the log: `--log-file` and `--log-level`, else `MEMPALACE_LOG_FILE` and `MEMPALACE_LOG_LEVEL`,
 * else no file, and `info`.
 *
 * @throws UserError `usage` for a flag, `config` for a variable
 */
export function logConfig(flags: LogFlags, env: NodeJS.ProcessEnv, home: string): LogConfig {
  const level =
    levelOf(flags.logLevel, '--log-level', 'usage') ??
    levelOf(env.MEMPALACE_LOG_LEVEL, 'MEMPALACE_LOG_LEVEL', 'config') ??
    'info';
  const given = flags.logFile ?? env.MEMPALACE_LOG_FILE ?? '';
  if (given === '') return { file: undefined, level };
  return { file: given.startsWith('~/') ? join(home, given.slice(2)) : resolve(given), level };
}

function levelOf(text: string | undefined, name: string, code: 'usage' | 'config'): LogLevel | undefined {
  if (text === undefined || text === '') return undefined;
  const level = LOG_LEVELS.find((each) => each === text.toLowerCase());
  if (level !== undefined) return level;
  throw new UserError(code, `${name} takes ${LOG_LEVELS.join(', ')}, not "${text}"`);
}

const ADDRESS_WITH_PASSWORD = /\/\/[^/\s@]*@/g;

/**
 * The log of one process: one line per entry, with time, level and process. Callers promise that entries above
 * `debug` contain no secrets, content or titles. A log that cannot be written causes one warning, not an error.
 */
export class Log {
  #file: LogFile | undefined;

  /** @param trouble called once, if the file cannot be written */
  constructor(
    private readonly config: LogConfig,
    readonly program: string,
    private readonly trouble: (message: string) => void,
  ) {
    this.#file = config.file === undefined ? undefined : new LogFile(config.file);
  }

  takes(level: LogLevel): boolean {
    return this.#file !== undefined && LOG_LEVELS.indexOf(level) <= LOG_LEVELS.indexOf(this.config.level);
  }

  write(level: LogLevel, message: string): void {
    if (this.#file === undefined || !this.takes(level)) return;
    try {
      const text = line(message).replace(ADDRESS_WITH_PASSWORD, '//…@');
      this.#file.append(`${new Date().toISOString()} ${level} ${this.program}[${process.pid}]: ${text}`);
    } catch (error) {
      this.#file = undefined;
      this.trouble(`the log ${this.config.file} cannot be written: ${messageOf(error)}`);
    }
  }

  close(): void {
    this.#file?.close();
    this.#file = undefined;
  }
}
