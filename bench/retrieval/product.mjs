/** The commands of a product, as a user runs them: only their output is used. */
import { join } from 'node:path';
import { execa } from 'execa';
import { McpSession } from '../support/mcp-session.mjs';

/** The compared rankings: the product's default, and its parts. */
const RANKINGS = {
  default: [],
  BM25: ['--rank', 'lexical'],
  vectors: ['--rank', 'semantic'],
  fusion: ['--rank', 'fusion'],
};

/**
 * Requested hits: as many as a user requests, since search looks further for more hits. A drawer contains
 * a turn or more, so twenty are enough for ten distinct turns, even if turns were cut in two.
 */
const LIMITS = { source: '10', drawer: '20' };

export class Product {
  #machine;
  #checkout;

  /**
   * @param {object} machine as `newMachine` gives it
   * @param {string} checkout folder of a built checkout
   * @param {string[]} [rankings] the names of those that are compared
   */
  constructor(machine, checkout, rankings = Object.keys(RANKINGS)) {
    this.#machine = machine;
    this.#checkout = checkout;
    this.rankings = rankings;
  }

  /** @returns {Promise<string>} stdout */
  async run(program, args, options = {}) {
    const done = await execa(process.execPath, [join(this.#checkout, 'bin', program), ...args], {
      env: this.#machine.env,
      extendEnv: false,
      cwd: this.#machine.folder,
      maxBuffer: 1024 ** 3,
      reject: false,
      ...options,
    });
    if (done.exitCode !== 0) {
      const why = done.stderr.slice(-2000);
      throw new Error(`exit code ${done.exitCode}, not 0: ${program} ${args.join(' ')}\n${why}`);
    }
    return done.stdout;
  }

  /**
   * Files a folder.
   *
   * @param {string} program `mempalace` or `mempalace-docs`
   * @param {string[]} args the folder and what else the command needs
   * @param {number} [sources] that must be in the palace afterwards
   */
  async mine(program, args, sources) {
    const summary = JSON.parse(await this.run(program, [...args, '--json']));
    const filed = summary.new + summary.changed + summary.unchanged;
    if (sources !== undefined && filed !== sources)
      throw new Error(`${sources} sources, but the run says ${JSON.stringify(summary)}`);
    return { ...summary, filed };
  }

  /**
   * Asks all questions of one palace in one process.
   *
   * @param {string[]} questions without line breaks
   * @param {{ by: 'source' | 'drawer', ranking: keyof typeof RANKINGS, flags?: string[] }} options
   * @returns {Promise<object[][]>} the hits of each question, as `mempalace search --json` prints them
   */
  async ask(palace, questions, options) {
    return (await this.answers(palace, questions, options)).map(({ hits }) => hits);
  }

  /** As `ask`. @returns {Promise<object[]>} the whole document of each question */
  async answers(palace, questions, { by, ranking, flags = [] }) {
    const args = ['search', '--batch', '--json', '--palace', palace, '--by', by, '--limit', LIMITS[by]];
    const input = questions.map((question) => `${question}\n`).join('');
    const stdout = await this.run('mempalace', [...args, ...RANKINGS[ranking], ...flags], { input });
    const documents = stdout.split('\n').filter((line) => line !== '');
    if (documents.length !== questions.length) {
      throw new Error(`${questions.length} questions, but ${documents.length} answers`);
    }
    return documents.map((line, index) => {
      const document = JSON.parse(line);
      const { query } = document;
      if (query !== questions[index]) throw new Error(`asked: ${questions[index]}; answered: ${query}`);
      return document;
    });
  }

  /**
   * Calls tools of mempalace-mcp in one session, one after the other.
   *
   * @param {[name: string, args: object][]} calls names without `mempalace_`
   */
  async call(calls, palace) {
    const session = new McpSession(this.#machine, ['--palace', palace], this.#checkout);
    await session.open();
    const results = [];
    for (const [name, args] of calls) results.push((await session.call(name, args)).result);
    await session.close();
    return results;
  }
}
