import type { ChalkInstance } from 'chalk';
import { jsonText } from '../../core/outside.js';
import { forJournal, stderrIsJournal } from '../app/logging/journal.js';
import type { Log } from '../app/logging/log.js';
import { columnsOf, type Io, paintStderr } from './io.js';
import { wrap } from './wrap.js';

export { jsonText, line, plain } from '../../core/outside.js';

/** How text may be set off. `match` is what was searched for. No style sets a colour that one background hides. */
export type StyleName = 'bold' | 'dim' | 'cyan' | 'green' | 'yellow' | 'match';
export type Paint = (style: StyleName, text: string) => string;

export interface TerminalOptions {
  json: boolean;
  quiet: boolean;
  verbose: boolean;
  color: boolean;
}

/** How far a long run is, shown on a terminal only. */
export interface ProgressLine {
  update(done: number, total: number, note: string): void;
  stop(): void;
}

/**
 * Where commands speak: data on stdout, everything else on stderr. Text that comes from files and titles
 * must pass `plain` or `line` before it is printed.
 */
export class Terminal {
  readonly io: Io;
  readonly options: TerminalOptions;
  /** What is said to be remembered, for runs that nobody watches. */
  readonly log: Pick<Log, 'write' | 'takes'> | undefined;
  readonly #journal: boolean;
  #chalk: ChalkInstance | undefined;

  constructor(io: Io, options: TerminalOptions, log?: Pick<Log, 'write' | 'takes'>) {
    this.io = io;
    this.options = options;
    this.log = log;
    this.#journal = stderrIsJournal(io.env);
  }

  /** Columns of the terminal that stdout is; undefined when it is none: pipes and files get whole lines. */
  get width(): number | undefined {
    return columnsOf(this.io.stdout);
  }

  /** For people at a terminal, who can be shown one screen after the other. */
  get pageable(): boolean {
    const { json, quiet } = this.options;
    return this.io.stdout.isTTY === true && !json && !quiet;
  }

  /** Loads what colours need, where there are any; elsewhere styles leave text as it is. */
  async prepare(): Promise<void> {
    const { color, json } = this.options;
    const { NO_COLOR = '', FORCE_COLOR } = this.io.env;
    const wanted = this.io.stdout.isTTY === true || FORCE_COLOR !== undefined;
    if (!color || json || !wanted || NO_COLOR !== '') return;
    const { default: chalk } = await import('chalk');
    this.#chalk = chalk;
  }

  /** What was asked for. */
  data(text: string): void {
    this.io.stdout.write(`${text}\n`);
  }

  /** One JSON document on one line. */
  json(value: unknown): void {
    this.io.stdout.write(`${jsonText(value)}\n`);
  }

  /** Human words about what was done; silent under --quiet and --json. */
  say(text: string): void {
    if (!this.options.quiet && !this.options.json) this.io.stdout.write(`${wrap(text, this.width)}\n`);
  }

  /** A remark beside the result; silent under --quiet. */
  note(text: string): void {
    if (!this.options.quiet) this.io.stderr.write(`${wrap(text, columnsOf(this.io.stderr))}\n`);
  }

  /**
   * Something went wrong or was held back; always shown.
   *
   * @param logged what the log says instead, where the text may hold more than belongs there
   */
  warn(text: string, logged = text): void {
    this.log?.write('warn', logged);
    if (this.#journal) this.io.stderr.write(`${forJournal('warn', `warning: ${text}`)}\n`);
    else this.#tell('warning:', 'yellow', text);
  }

  /** Something failed, and the work goes on with the rest; always shown. */
  error(text: string): void {
    this.log?.write('error', text);
    if (this.#journal) this.io.stderr.write(`${forJournal('error', `error: ${text}`)}\n`);
    else this.#tell('error:', 'red', text);
  }

  #tell(word: string, colour: 'red' | 'yellow', text: string): void {
    const { color, json } = this.options;
    this.io.stderr.write(
      `${wrap(`${paintStderr(word, colour, color && !json, this.io)} ${text}`, columnsOf(this.io.stderr))}\n`,
    );
  }

  /** What a run did, on one line: for the log, and for the journal when nothing else is said there. */
  summary(text: string): void {
    this.log?.write('info', text);
    if (this.#journal && this.options.quiet) this.io.stderr.write(`${forJournal('info', text)}\n`);
  }

  readonly style: Paint = (name, text) => {
    if (this.#chalk === undefined) return text;
    return name === 'match' ? this.#chalk.bold.underline(text) : this.#chalk[name](text);
  };

  /**
   * A progress bar on stderr; nothing where stderr is no terminal, or under --quiet or --json.
   *
   * @param unit of what `update` is told
   */
  async progress(label: string, unit?: 'bytes'): Promise<ProgressLine> {
    if (!this.io.stderr.isTTY || this.options.quiet || this.options.json) {
      return { update: () => {}, stop: () => {} };
    }
    const { default: cliProgress } = await import('cli-progress');
    const { formatBytes } = await import('../app/durations.js');
    const bar = new cliProgress.SingleBar({
      format: `${label} {bar} {value}/{total} {note}`,
      stream: this.io.stderr,
      barsize: 24,
      clearOnComplete: true,
      hideCursor: true,
      barCompleteChar: '█',
      barIncompleteChar: '░',
      formatValue: (value, _options, type) =>
        unit === 'bytes' && type !== 'percentage' ? formatBytes(value) : String(value),
    });
    let started = false;
    return {
      update(done, total, note) {
        if (!started && total > 0) {
          bar.start(total, done, { note });
          started = true;
        }
        if (started) bar.update(done, { note });
      },
      stop: () => bar.stop(),
    };
  }
}
