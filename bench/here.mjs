/**
 * What the preference for the project of the working folder gains in the right project and costs in a wrong one
 * (`npm run build` first): questions about documents of several projects in one palace, through the product's own commands.
 */
import { cpSync, mkdirSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { measure } from './retrieval/measures.mjs';
import { loadDocsDev } from './retrieval/on-docs-dev.mjs';
import { Product } from './retrieval/product.mjs';
import { renderTable, row } from './support/figures.mjs';
import { newMachine, ROOT } from './support/machine.mjs';
import { runBench } from './support/main.mjs';

const DATA = fileURLToPath(new URL('../../shared/data/docs-dev', import.meta.url));

async function main() {
  const { values } = parseArgs({ options: { keep: { type: 'string' } } });
  const set = loadDocsDev();
  if (set === undefined) throw new Error(`${DATA} does not exist`);
  const projects = [...new Set(set.questions.map(({ project }) => project))];
  const machine = newMachine();
  const folder = values.keep === undefined ? machine.folder : resolve(values.keep);
  mkdirSync(folder, { recursive: true });
  const place = (id) => join(realpathSync(folder), 'projects', id);
  const palace = join(folder, 'palace');
  for (const project of projects) {
    cpSync(join(DATA, project), place(project), { recursive: true, preserveTimestamps: true });
    await new Product(machine, ROOT).mine('mempalace-docs', [place(project), '--palace', palace]);
  }
  /** The answers to the questions of the projects that `asks` accepts, asked in a folder. */
  const answersIn = async (cwd, asks, flags = []) => {
    const product = new Product({ ...machine, folder: cwd }, ROOT);
    const asked = set.questions.filter(({ project }) => asks(project));
    const texts = asked.map(({ text }) => text);
    const found = await product.ask(palace, texts, { by: 'source', ranking: 'default', flags });
    return asked.map(({ files }, index) => {
      const answers = files.map(place);
      // Any of the files answers the question: the first one that is found counts.
      const ranked = found[index].map(({ origin }) => (answers.includes(origin) ? 'answer' : origin));
      return { relevant: ['answer'], ranked: [...new Set(ranked)] };
    });
  };
  const inEach = async (asks, flags) => {
    const answers = [];
    for (const here of projects)
      answers.push(...(await answersIn(place(here), (project) => asks(project, here), flags)));
    return answers;
  };
  const isRight = (project, here) => project === here;
  const isWrong = (project, here) => project !== here;
  const rows = {
    'outside of all projects': await answersIn(machine.folder, () => true),
    'in the right project': await inEach(isRight),
    'in the right project, --here': await inEach(isRight, ['--here']),
    'in a wrong project': await inEach(isWrong),
    'in a wrong project, --everywhere': await inEach(isWrong, ['--everywhere']),
  };
  const table = Object.entries(rows).map(([name, answers]) => {
    const figures = Object.entries(measure(answers)).map(([of, value]) => `${of} ${value.toFixed(1)}`);
    return row(name, `${answers.length} questions`, { note: figures.join('  ') });
  });
  process.stdout.write(`${renderTable(table)}\n`);
  machine.remove();
}

await runBench(main);
