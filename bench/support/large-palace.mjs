/** The large palace that the search benches share, made once in a run by a process of its own. */
import { join } from 'node:path';
import { newMachine, ROOT, runNode } from './machine.mjs';
import { questions, rareNames } from './passages.mjs';
import { createRandom } from './random.mjs';

let made;

/** @returns {Promise<{ machine: object, palace: string, drawers: number, bytes: number }>} */
export function largePalace({ quick, note }) {
  made ??= make(quick, note);
  return made;
}

async function make(quick, note) {
  const [drawers, embedded] = quick ? [5000, 500] : [100_000, 10_000];
  note(`making a palace of ${drawers} drawers`);
  const machine = newMachine();
  const palace = join(machine.folder, 'large');
  const script = join(ROOT, 'bench', 'generate-palace.mjs');
  const sizes = ['--drawers', `${drawers}`, '--embedded', `${embedded}`];
  const { stdout, seconds } = await runNode(machine, [script, '--out', palace, ...sizes]);
  note(`made in ${seconds.toFixed(0)} s`);
  return { machine, palace, ...JSON.parse(stdout) };
}

/** Forty questions; the names in them are those of the generated palace. */
export function someQuestions() {
  const names = rareNames(createRandom(1));
  return questions(createRandom(2), names, 40);
}
