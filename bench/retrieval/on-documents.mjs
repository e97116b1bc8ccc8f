/**
 * The bench over documents: questions in a user's words, and the section that answers each. The documents are
 * those of the installed dependencies, whose licences permit copies, and our own; they are read in place
 * and copied into a temporary project for the run. Versions are fixed by package-lock.json.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from '../support/machine.mjs';
import { distinct } from './measures.mjs';
import { sectionsOf } from './sections.mjs';
import { WholeSources } from './whole-sources.mjs';

const QUESTIONS = fileURLToPath(new URL('./docs-questions.json', import.meta.url));
const OWN = 'mempalace-toolkit';
/** Licences that permit a copy for a run. */
const PERMISSIVE = ['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0'];

/** The questions with an available document, with the lines of their section, and the others. */
export function loadQuestions() {
  const [questions, leftOut] = [[], []];
  for (const { question, file, heading } of JSON.parse(readFileSync(QUESTIONS, 'utf8'))) {
    const path = placeOf(file);
    const found = path === undefined ? [] : sectionsOf(readFileSync(path, 'utf8'), heading);
    if (found.length === 1) questions.push({ question, file, heading, ...found[0] });
    else leftOut.push({ question, reason: `${file} has ${found.length} sections “${heading}”` });
  }
  return { questions, leftOut };
}

/** The path of a document; undefined if its package is not installed or has another licence. */
function placeOf(file) {
  const [name, ...rest] = file.split('/');
  const folder = name === OWN ? ROOT : join(ROOT, 'node_modules', name);
  const path = join(folder, ...rest);
  if (!existsSync(path)) return undefined;
  const { license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return PERMISSIVE.includes(license) ? path : undefined;
}

/** @returns {Promise<object>} a set as `report.mjs` prints it */
export async function benchDocuments(product, folder, note) {
  const { questions, leftOut } = loadQuestions();
  const files = distinct(questions.map(({ file }) => file));
  const project = join(folder, 'documents');
  const palace = join(folder, 'palaces', 'documents');
  rmSync(project, { recursive: true, force: true });
  for (const file of files) {
    mkdirSync(dirname(join(project, file)), { recursive: true });
    copyFileSync(placeOf(file), join(project, file));
  }
  const args = [project, '--wing', 'wing_documents', '--palace', palace];
  const { drawers_total } = await product.mine('mempalace-docs', args, files.length);
  note(`${files.length} documents, ${drawers_total} drawers`);
  const fileOf = (hit) => files.find((file) => hit.origin.endsWith(`/documents/${file}`));
  const groups = [];
  for (const [granularity, by] of [
    ['file', 'source'],
    ['section', 'drawer'],
  ]) {
    const rankings = {};
    for (const ranking of product.rankings) {
      const asked = questions.map(({ question }) => question);
      const answers = await product.ask(palace, asked, { by, ranking });
      rankings[ranking] = questions.map((question, index) => ({
        question: question.question,
        ...kindsOf(question),
        ...(granularity === 'file'
          ? { relevant: [question.file], ranked: distinct(answers[index].map(fileOf)) }
          : placesOf(question, answers[index], fileOf)),
      }));
      note(`documents, ${granularity}: ${ranking} done`);
    }
    const byFile = granularity === 'file';
    if (byFile) rankings.whole = wholeAnswers(files, questions);
    groups.push({ granularity, setting: 'one palace', measures: 'hits', rankings, byKind: byFile });
  }
  return { name: 'documents', what: `${files.length} files, ${drawers_total} drawers`, leftOut, groups };
}

const kindsOf = ({ file }) => ({
  category: file.startsWith(`${OWN}/`) ? 'our own' : 'dependencies',
  source: 'prose',
});

/** The baseline over the same files. */
function wholeAnswers(files, questions) {
  const read = (file) => ({ id: file, scope: '', name: file, text: readFileSync(placeOf(file), 'utf8') });
  const whole = new WholeSources(files.map(read));
  return questions.map((question) => ({
    question: question.question,
    ...kindsOf(question),
    relevant: [question.file],
    ranked: whole.rank(question.question),
  }));
}

/** Hits as ranges in files: the first one that overlaps the section is the answer. */
function placesOf({ file, heading, first, last }, hits, fileOf) {
  const section = `${file}: ${heading}`;
  const ranked = hits.map((hit) => {
    const where = fileOf(hit);
    const meets = where === file && hit.line_start <= last && hit.line_end >= first;
    return meets ? section : `${where}:${hit.line_start}`;
  });
  // Later hits in the section keep their ranks: they displace others, but find nothing more.
  const seen = ranked.indexOf(section);
  return {
    relevant: [section],
    ranked: ranked.map((id, at) => (id === section && at !== seen ? `${section} again, ${at}` : id)),
  };
}
