import { existsSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import type { FiledProject, Project, Skipped } from '../../core/contract.js';
import { existsAs } from '../../core/marked-path.js';
import { markIn, projectId } from '../../core/project-id.js';
import { documentKey } from '../../core/source-key.js';
import { cleanPath, cleanPaths, type Sanitiser } from '../../sanitiser/index.js';
import { type ProjectConfig, readProjectConfig } from './config.js';
import { firstCommit } from './git.js';
import { findProjectRoot, isProjectRoot } from './root.js';
import { type Survey, type SurveyOptions, surveyProject } from './survey.js';
import { readWatchdogManifest, WATCHDOG_NAME } from './watchdog-manifest.js';
import { defaultWing } from './wing-and-room.js';

export interface ProjectRequest
  extends Pick<SurveyOptions, 'include' | 'exclude' | 'gitignore' | 'maxFileSize' | 'signal'> {
  dir: string;
  home: string;
  wing: string | undefined;
  /** The selection is for this run only, so the run does not know which documents are gone. */
  adHoc: boolean;
  sanitiser: Sanitiser;
  /** This machine in the ids of its projects; empty if the palace is here. */
  mark: string;
  /** Whether the user approved the rules of a project's mempalace.yaml; if not, with a note for the user. */
  approve: (root: string, config: ProjectConfig | undefined) => { approved: boolean; note?: string };
}

export interface KnownProjects {
  filed: readonly FiledProject[];
  /** Relative paths of a project's documents, filed or forgotten. */
  pathsOf: (id: string) => readonly string[];
  /** Source keys and absolute paths. */
  forgotten: ReadonlySet<string>;
}

export interface IdentifiedProject {
  root: string;
  /** The requested part of the project; undefined for all of it. */
  folder: string | undefined;
  survey: Survey;
  /** `folder` names its staging folder unless another project of the wing has that name. */
  project: Project;
  wing: string;
  /** Wings that may contain older mirrors of the project or of those that it absorbs: these are removed. */
  previousWings: string[];
  /** Documents that are not listed are gone. False for a run with its own patterns or limits. */
  complete: boolean;
  /** Ids of projects that were filed from folders inside this one and are part of it now. */
  absorbs: string[];
  /** The palace already contains it. */
  known: boolean;
  /** Rooms that its mempalace.yaml calls cold. */
  coldRooms: string[];
}

/** @throws UserError when the folder cannot be listed, or its mempalace.yaml is malformed */
export async function findProject(request: ProjectRequest, known: KnownProjects): Promise<IdentifiedProject> {
  const { sanitiser, mark } = request;
  const { filed: all, pathsOf } = known;
  // Another machine may have filed a folder of the same name, which is another project.
  const filed = all.filter(({ id }) => markIn(id) === mark);
  const found = await findProjectRoot(request.dir, request.home);
  const { root, folder } = isProjectRoot(found.root) ? found : withinFiled(found.root, filed);
  const config = await readProjectConfig(root);
  const { approved, note } = request.approve(root, config);
  const manifest = readWatchdogManifest(root);
  const { watched } = manifest;
  const surveyed = await surveyProject({ ...request, root, folder, config, watched, approved });
  surveyed.skipped.push(...skippedLines(manifest, root));
  if (note !== undefined) surveyed.notes.push(note);
  surveyed.notes.push(...(config?.notes ?? []));
  const survey = await withCleanNames(surveyed, sanitiser);
  const shownRoot = await cleanPath(root, sanitiser);
  const name = basename(shownRoot);
  const rootCommit =
    filed.find((project) => project.root === shownRoot)?.rootCommit ?? (await firstCommit(root));
  const paths = () => survey.documents.map(({ relativePath }) => relativePath);
  const candidate = { root: shownRoot, rootCommit, name, paths, exists: existsAs, mark };
  const { project: identified, filed: before } = identifyProject(candidate, filed, pathsOf);
  const wing = request.wing ?? config?.wing ?? before?.wing ?? defaultWing(name);
  const project = { ...identified, folder: stagingFolder(identified, wing, all) };
  const complete = !request.adHoc;
  const absorbs = complete ? absorbed(root, survey, project.id, filed) : [];
  const left = before !== undefined && (before.wing !== wing || before.folder !== project.folder);
  return {
    root,
    folder: folder === undefined ? undefined : await cleanPath(survey.folder ?? folder, sanitiser),
    survey: withoutForgotten(survey, project.id, known.forgotten),
    project,
    wing,
    previousWings: [...(left ? [before.wing] : []), ...absorbs.map((other) => other.wing)],
    complete,
    absorbs: absorbs.map(({ id }) => id),
    known: before !== undefined,
    coldRooms: (config?.rooms ?? []).filter(({ cold }) => cold === true).map((room) => room.name),
  };
}

/** A wrong line ends with exit code 3, like a document that cannot be read. The other lines count. */
function skippedLines({ wrong, skipped }: ReturnType<typeof readWatchdogManifest>, root: string): Skipped[] {
  const file = join(root, WATCHDOG_NAME);
  const lines = wrong.map(({ line, reason }) => ({
    origin: `${file}:${line}`,
    reason: 'wrong line of a manifest',
    detail: reason,
    problem: true,
  }));
  return skipped === undefined ? lines : [skipped, ...lines];
}

/**
 * The survey without secrets in its paths, rooms and notes, so that it may be stored and shown. Absolute paths stay,
 * and names without a secret do not change.
 */
async function withCleanNames(survey: Survey, sanitiser: Sanitiser): Promise<Survey> {
  const { documents, skipped, unread, testData, nested, notes } = survey;
  const names = [
    ...documents.flatMap(({ relativePath, absolutePath, room }) => [relativePath, absolutePath, room]),
    ...skipped.map(({ origin }) => origin),
    ...unread,
    ...testData,
    ...nested,
  ];
  const clean = await cleanPaths([...new Set(names)], sanitiser);
  return {
    documents: documents.map((document) => ({
      ...document,
      relativePath: clean(document.relativePath),
      origin: clean(document.absolutePath),
      room: clean(document.room),
    })),
    skipped: skipped.map((skip) => ({ ...skip, origin: clean(skip.origin) })),
    unread: unread.map(clean),
    testData: testData.map(clean),
    nested: nested.map(clean),
    notes: await Promise.all(notes.map(async (note) => (await sanitiser.clean(note)).text)),
  };
}

/** A folder without its own `.git` or `mempalace.yaml` belongs to the nearest filed project around it. */
function withinFiled(
  dir: string,
  filed: readonly FiledProject[],
): { root: string; folder: string | undefined } {
  const around = filed
    .filter((project) => dir.startsWith(project.root + sep) && existsSync(project.root))
    .sort((a, b) => b.root.length - a.root.length)[0];
  if (around === undefined) return { root: dir, folder: undefined };
  return { root: around.root, folder: relative(around.root, dir).split(sep).join('/') };
}

/** Projects that were filed from inside this one, and whose documents it lists now. */
function absorbed(
  root: string,
  { documents }: Survey,
  id: string,
  filed: readonly FiledProject[],
): FiledProject[] {
  return filed.filter((other) => {
    if (other.id === id || !other.root.startsWith(root + sep)) return false;
    if (!existsSync(other.root) || isProjectRoot(other.root)) return false;
    const below = `${relative(root, other.root).split(sep).join('/')}/`;
    return documents.some(({ relativePath }) => relativePath.startsWith(below));
  });
}

/** @param forgotten a document that was forgotten in another project is listed by its absolute path */
function withoutForgotten(survey: Survey, project: string, forgotten: ReadonlySet<string>): Survey {
  const isForgotten = ({ relativePath, origin }: Survey['documents'][number]) =>
    forgotten.has(documentKey(project, relativePath)) || forgotten.has(origin);
  const gone = survey.documents.filter(isForgotten);
  return {
    ...survey,
    documents: survey.documents.filter((document) => !isForgotten(document)),
    skipped: [...survey.skipped, ...gone.map(({ origin }) => ({ origin, reason: 'forgotten' }))],
  };
}

export interface ProjectCandidate {
  root: string;
  rootCommit: string | null;
  name: string;
  /** Relative paths of its documents. Called only when git cannot decide. */
  paths: () => readonly string[];
  exists: (root: string) => boolean;
  mark: string;
}

/**
 * The project of a folder: the one filed from this root; else one whose root is gone and whose first commit is the
 * same (without git on one side: a project with mostly the same relative paths); else a new one.
 */
export function identifyProject(
  candidate: ProjectCandidate,
  filed: readonly FiledProject[],
  pathsOf: (id: string) => readonly string[],
): { project: Project; filed: FiledProject | undefined } {
  const known =
    filed.find((project) => project.root === candidate.root) ?? movedProject(candidate, filed, pathsOf);
  const id = known?.id ?? newProjectId(candidate, new Set(filed.map((project) => project.id)));
  const rootCommit = candidate.rootCommit ?? known?.rootCommit ?? null;
  return { project: { id, root: candidate.root, rootCommit, folder: candidate.name }, filed: known };
}

/** A project's folder below its wing: its name, with digits of the id when another project of the wing has that name. */
export function stagingFolder(project: Project, wing: string, filed: readonly FiledProject[]): string {
  const taken = filed.some(
    (other) => other.id !== project.id && other.wing === wing && other.folder === project.folder,
  );
  return taken ? `${project.folder}-${project.id.slice(0, 6)}` : project.folder;
}

function movedProject(
  candidate: ProjectCandidate,
  filed: readonly FiledProject[],
  pathsOf: (id: string) => readonly string[],
): FiledProject | undefined {
  const gone = filed.filter((project) => !candidate.exists(project.root));
  const { rootCommit } = candidate;
  const sameCommit = gone.filter((project) => rootCommit !== null && project.rootCommit === rootCommit);
  if (sameCommit.length === 1) return sameCommit[0];
  const comparable = gone.filter((project) => rootCommit === null || project.rootCommit === null);
  const candidates = sameCommit.length > 0 ? sameCommit : comparable;
  if (candidates.length === 0) return undefined;
  const present = new Set(candidate.paths());
  const ranked = candidates
    .map((project) => {
      const paths = pathsOf(project.id);
      const shared = paths.filter((path) => present.has(path)).length;
      const isNamed = basename(project.root) === candidate.name;
      return { project, shared, isMost: shared * 2 > paths.length, isNamed };
    })
    .sort((a, b) => Number(b.isNamed) - Number(a.isNamed) || b.shared - a.shared);
  if (sameCommit.length > 0) return ranked[0]?.project;
  return ranked.filter(({ isMost }) => isMost).sort((a, b) => b.shared - a.shared)[0]?.project;
}

/** Derived from root and first commit, so that a dry run shows the id that the real run will use. */
function newProjectId(candidate: ProjectCandidate, taken: ReadonlySet<string>): string {
  for (let attempt = 0; ; attempt += 1) {
    const id = projectId(candidate.root, candidate.rootCommit, attempt, candidate.mark);
    if (!taken.has(id)) return id;
  }
}
