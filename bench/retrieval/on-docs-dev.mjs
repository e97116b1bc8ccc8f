/**
 * The bench over the documentation of three public projects: `../shared/data/docs-dev` next to the checkout, if it exists. A
 * question is answered by any of its files. Its README describes questions and figures of the baseline.
 */
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { distinct } from './measures.mjs';
import { WholeSources } from './whole-sources.mjs';

const DATA = fileURLToPath(new URL('../../../shared/data/docs-dev', import.meta.url));
const PROJECTS = ['trivy', 'restic', 'deno-docs'];

/** What the answers are, by their paths in this set; the first that matches. The rest is prose. */
const KINDS = [
  ['changelog', /(?:^|\/)changelog\.md$/i],
  ['generated', /references\/configuration\/cli\/|\/bash-completion\.sh$/],
  ['config', /\.(?:ya?ml|toml)$|requirements\.txt$/],
  ['reference', /\/references?\/|\/lint\/rules\/|\/api\/|\/manual_rest\.rst$/],
];

/**
 * @returns {{ sources: object[], questions: { text: string, kind: string, project: string, files: string[], source: string }[] } |
 *   undefined} sources as `WholeSources` takes them, ids with the project's folder in front; questions by project; undefined if the
 *   set is missing
 */
export function loadDocsDev() {
  if (!existsSync(DATA)) return undefined;
  const sources = PROJECTS.flatMap((project) =>
    filesBelow(join(DATA, project)).map((path) => {
      const name = relative(join(DATA, project), path);
      return { id: `${project}/${name}`, scope: project, name, text: readFileSync(path, 'utf8') };
    }),
  );
  const lines = readFileSync(join(DATA, 'questions.jsonl'), 'utf8').split('\n').filter(Boolean);
  const questions = lines.map((line) => {
    const { project, question, files, kind } = JSON.parse(line);
    const ids = files.map((file) => `${project}/${file}`);
    return { text: question, kind, project, files: ids, source: kindOf(ids[0]) };
  });
  return {
    sources,
    questions: PROJECTS.flatMap((project) => questions.filter((each) => each.project === project)),
  };
}

const answerOf = ({ text, kind, source, files }, ranked) => ({
  question: text,
  category: kind,
  source,
  relevant: files,
  ranked,
});

const kindOf = (file) => KINDS.find(([, pattern]) => pattern.test(file))?.[0] ?? 'prose';

const filesBelow = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();

/** Files all three projects in one palace. @returns {Promise<string>} its folder, as `benchDocsDev` names it */
export async function fileDocsDev(product, folder, note) {
  const palace = join(folder, 'palaces', 'docs-dev-all');
  for (const project of PROJECTS) await fileProject(product, project, palace, note);
  return palace;
}

async function fileProject(product, project, palace, note) {
  const args = [join(DATA, project), '--palace', palace];
  const { filed, drawers_total } = await product.mine('mempalace-docs', args);
  note(`${project}: ${filed} files, ${drawers_total} drawers in the palace`);
}

/** @returns {Promise<object | undefined>} a set as `report.mjs` prints it; undefined if it is missing */
export async function benchDocsDev(product, folder, note) {
  const set = loadDocsDev();
  if (set === undefined) {
    note('docs-dev is left out: ../shared/data/docs-dev does not exist');
    return undefined;
  }
  const palaceOf = (name) => join(folder, 'palaces', `docs-dev-${name}`);
  for (const project of PROJECTS) {
    for (const name of [project, 'all']) {
      await fileProject(product, project, palaceOf(name), note);
    }
  }
  const whole = new WholeSources(set.sources);
  const groups = [];
  for (const setting of ['own project', 'three in one']) {
    const own = setting === 'own project';
    const rankings = {};
    for (const ranking of product.rankings) {
      rankings[ranking] = [];
      for (const project of PROJECTS) {
        const questions = set.questions.filter((question) => question.project === project);
        const asked = questions.map(({ text }) => text);
        const hits = await product.ask(palaceOf(own ? project : 'all'), asked, { by: 'source', ranking });
        questions.forEach((question, at) => {
          rankings[ranking].push(answerOf(question, distinct(hits[at].map(fileOf))));
        });
      }
      note(`docs-dev, ${setting}: ${ranking} done`);
    }
    rankings.whole = set.questions.map((question) =>
      answerOf(question, whole.rank(question.text, own ? question.project : undefined)),
    );
    groups.push({ granularity: 'file', setting, measures: 'hits', rankings, byKind: true });
  }
  return { name: 'docs-dev', what: `${set.sources.length} files of three projects`, leftOut: [], groups };
}

const ROOT = existsSync(DATA) ? realpathSync(DATA) : DATA;
export const fileOf = ({ origin }) => relative(ROOT, origin);
