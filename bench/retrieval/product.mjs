/** The product's own commands, as a user runs them: only their output is used. */
import { join } from 'node:path';
import { execa } from 'execa';
import { ROOT } from '../support/machine.mjs';

/** The compared rankings: the product's default, and its parts. */
export const RANKINGS = {
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

async function run(machine, program, args, options = {}) {
  const done = await execa(process.execPath, [join(ROOT, 'bin', program), ...args], {
    env: machine.env,
    extendEnv: false,
    cwd: machine.folder,
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
 * @param {number} sources that must be in the palace afterwards
 */
export async function mine(machine, program, args, sources) {
  const summary = JSON.parse(await run(machine, program, [...args, '--json']));
  const filed = summary.new + summary.changed + summary.unchanged;
  if (filed !== sources) throw new Error(`${sources} sources, but the run says ${JSON.stringify(summary)}`);
  return summary;
}

/**
 * Asks all questions of one palace in one process.
 *
 * @param {string[]} questions without line breaks
 * @param {{ by: 'source' | 'drawer', ranking: keyof typeof RANKINGS }} options
 * @returns {Promise<object[][]>} the hits of each question, as `mempalace search --json` prints them
 */
export async function ask(machine, palace, questions, { by, ranking }) {
  const args = ['search', '--batch', '--json', '--palace', palace, '--by', by, '--limit', LIMITS[by]];
  const input = questions.map((question) => `${question}\n`).join('');
  const stdout = await run(machine, 'mempalace', [...args, ...RANKINGS[ranking]], { input });
  const documents = stdout.split('\n').filter((line) => line !== '');
  if (documents.length !== questions.length) {
    throw new Error(`${questions.length} questions, but ${documents.length} answers`);
  }
  return documents.map((line, index) => {
    const { query, hits } = JSON.parse(line);
    if (query !== questions[index]) throw new Error(`asked: ${questions[index]}; answered: ${query}`);
    return hits;
  });
}
