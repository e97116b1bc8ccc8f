import { jsonText } from '../core/outside.js';
import { columnsOf, type Io, type Paint, painterFor, showsLinks } from './io.js';
import { forJournal, stderrIsJournal } from './logging/journal.js';
import type { Log } from './logging/log.js';
import { wrap } from './wrap.js';

export { jsonText, line, plain } from '../core/outside.js';

export interface TerminalOptions {
  json: boolean;
  quiet: boolean;
  verbose: boolean;
  color: boolean;
}

/** Progress of a long run, shown on a terminal only. An update shows a stopped bar again. */
export interface ProgressLine {
  update(done: number, total: number, note: string): void;
  stop(): void;
}

/**
 * Output of commands: data on stdout, everything else on stderr. Text from files and titles must pass `plain` or `line`
 * before it is printed.
 */
export class Terminal {
  /** Styles text for stdout. */
  readonly style: Paint;
  readonly #paintStderr: Paint;
  readonly #journal: boolean;

  /** @param log the log file, for unattended runs */
  constructor(
    readonly io: Io,
    readonly options: TerminalOptions,
    readonly log?: Pick<Log, 'write' | 'takes'>,
  ) {
    const colored = options.color && !options.json;
    this.style = painterFor(io.stdout, io.env, colored);
    this.#paintStderr = painterFor(io.stderr, io.env, colored);
    this.#journal = stderrIsJournal(io.env);
  }

  /** Columns of stdout; undefined for pipes and files, which get whole lines. */
  get width(): number | undefined {
    return columnsOf(this.io.stdout);
  }

  /** Whether small pictures of characters are shown: where colours are, and never in pipes. */
  get draws(): boolean {
    return this.io.stdout.isTTY === true && this.style('bold', 'x') !== 'x';
  }

  /** Whether paths are links to their files. */
  get links(): boolean {
    const { json, color } = this.options;
    return showsLinks(this.io.stdout, this.io.env, color && !json);
  }

  /** Whether output may go through a pager. */
  get pageable(): boolean {
    const { json, quiet } = this.options;
    return this.io.stdout.isTTY === true && !json && !quiet;
  }

  /** Prints a result as text; silent under --json. */
  data(text: string): void {
    if (!this.options.json) this.io.stdout.write(`${text}\n`);
  }

  /** Prints the JSON document of a result on one line; silent without --json. */
  json(value: unknown): void {
    if (this.options.json) this.document(value);
  }

  /** Prints a JSON document on one line, always. */
  document(value: unknown): void {
    this.io.stdout.write(`${jsonText(value)}\n`);
  }

  /** Prints a sentence about the work; silent under --quiet and --json. */
  say(text: string): void {
    if (!this.options.quiet && !this.options.json) this.io.stdout.write(`${wrap(text, this.width)}\n`);
  }

  /** Prints a remark on stderr; silent under --quiet. */
  note(text: string): void {
    if (!this.options.quiet) this.io.stderr.write(`${wrap(text, columnsOf(this.io.stderr))}\n`);
  }

  /**
   * Prints a warning, always.
   *
   * @param logged text for the log, where `text` contains more than belongs there
   */
  warn(text: string, logged = text): void {
    this.log?.write('warn', logged);
    this.#complain('warn', `warning: ${text}`);
  }

  /** Prints an error after which the work continues, always. */
  error(text: string): void {
    this.log?.write('error', text);
    this.#complain('error', `error: ${text}`);
  }

  #complain(level: 'warn' | 'error', text: string): void {
    const painted = text.replace(/^\w+:/, (word) =>
      this.#paintStderr(level === 'warn' ? 'yellow' : 'red', word),
    );
    const shown = this.#journal ? forJournal(level, text) : wrap(painted, columnsOf(this.io.stderr));
    this.io.stderr.write(`${shown}\n`);
  }

  /** Logs a run's result in one line; under --quiet also to the journal. */
  summary(text: string): void {
    this.log?.write('info', text);
    if (this.#journal && this.options.quiet) this.io.stderr.write(`${forJournal('info', text)}\n`);
  }

  /** Shows a progress bar while `work` runs. */
  async during<T>(label: string, work: (bar: ProgressLine) => Promise<T>, unit?: 'bytes'): Promise<T> {
    const bar = await this.progress(label, unit);
    try {
      return await work(bar);
    } finally {
      bar.stop();
    }
  }

  /** A progress bar on stderr, or messages to the program that started this one; nothing without a terminal, or under --quiet or --json. @param unit of `update` */
  async progress(label: string, unit?: 'bytes'): Promise<ProgressLine> {
    if (this.options.json && this.io.send !== undefined) return sending(label, this.io);
    if (!this.io.stderr.isTTY || this.options.quiet || this.options.json) {
      return { update: () => {}, stop: () => {} };
    }
    const { default: cliProgress } = await import('cli-progress');
    const { formatBytes } = await import('./durations.js');
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
      stop() {
        bar.stop();
        started = false;
      },
    };
  }
}

/** Between two messages, milliseconds. */
const SEND_MS = 250;

function sending(step: string, io: Io): ProgressLine {
  let sentMs = Number.NEGATIVE_INFINITY;
  return {
    update(done, total, note) {
      const now = performance.now();
      if (now - sentMs < SEND_MS || io.connected !== true) return;
      sentMs = now;
      io.send?.({ step, done, total, note });
    },
    stop() {},
  };
}
