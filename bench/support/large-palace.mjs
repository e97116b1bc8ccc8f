/** The palaces of the search bench, each made by its own process, and the questions. */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { palaceFile } from '../../dist/store/index.js';
import { ROOT, runNode } from './machine.mjs';
import { questions, rareNames } from './passages.mjs';
import { createRandom } from './random.mjs';

/**
 * The palace of this number of drawers below `folder`; an existing one is reused.
 *
 * @param {{ checkout?: string }} options of which `checkout` is what makes it: each version has its own schema

 * @returns {Promise<{ folder: string, file: string }>}
 */
export async function largePalace(machine, { folder, drawers, embedded, note, checkout = ROOT }) {
  const palace = join(folder, `palace-${drawers}`);
  if (!existsSync(palace)) {
    mkdirSync(folder, { recursive: true });
    note(`making a palace of ${drawers} drawers`);
    const script = join(checkout, 'bench', 'generate-palace.mjs');
    const sizes = ['--drawers', `${drawers}`, '--embedded', `${embedded}`];
    const { seconds } = await runNode(machine, [script, '--out', palace, ...sizes, '--cache', folder]);
    note(`made in ${seconds.toFixed(0)} s`);
  }
  return { folder: palace, file: palaceFile(palace) };
}

/** This number of different questions, with names of the generated palace. */
export function someQuestions(count) {
  const names = rareNames(createRandom(1));
  const random = createRandom(2);
  const distinct = new Set();
  while (distinct.size < count)
    for (const question of questions(random, names, count)) distinct.add(question);
  return [...distinct].slice(0, count);
}
