import { existsSync } from 'node:fs';
import { basename, relative, sep } from 'node:path';
import type { Project } from '../../../core/contract.js';
import { existsAs } from '../../../core/marked-path.js';
import type { ProjectConfig, Survey } from '../../../feeders/docs/index.js';
import type { Folders } from '../../../platform/folders.js';
import type { FiledProject, Palace } from '../../../store/index.js';
import type { CommandContext } from '../../app/runner.js';
import type { DocsConfig } from './config.js';

/** A folder as it lies on the disk, with the project it belongs to. */
interface SurveyedProject {
  root: string;
  /** The part of the project that was asked for; undefined for all of it. */
  folder: string | undefined;
  config: ProjectConfig | undefined;
  survey: Survey;
}

/** The same, with what the palace knows of it. */
export interface IdentifiedProject extends SurveyedProject {
  project: Project;
  wing: string;
  /** Wings where mirrors of the project, or of those it absorbs, may lie that are not its own any more. */
  previousWings: string[];
  /** Complete: what is not listed is gone. */
  complete: boolean;
  absorbs: string[];
  filed: readonly FiledProject[];
}

/**
 * The project that a folder belongs to, as it lies on the disk and as the palace knows it.
 *
 * @throws UserError when the folder cannot be listed, or its mempalace.yaml is malformed
 */
export async function identify(
  config: DocsConfig,
  folders: Folders,
  palace: Palace | undefined,
  context: CommandContext,
): Promise<IdentifiedProject> {
  const docs = await import('../../../feeders/docs/index.js');
  const { identifyProject, stagingFolder } = await import('../../../store/index.js');
  const filed = palace?.projects.all() ?? [];
  const names = await namesFor(config, context);
  const found = await survey(config, folders, filed, context);
  const surveyed = { ...found, survey: await docs.withCleanNames(found.survey, names.sanitiser) };
  const root = await names.path(found.root);
  const name = basename(root);
  const known = filed.find((project) => project.root === root);
  const rootCommit = known?.rootCommit ?? (await docs.firstCommit(surveyed.root));
  const identity = identifyProject(
    {
      root,
      rootCommit,
      name,
      paths: () => surveyed.survey.documents.map((document) => document.relativePath),
      exists: existsAs,
    },
    filed,
    (id) => palace?.projects.pathsOf(id) ?? [],
  );
  const wing = config.wing ?? surveyed.config?.wing ?? identity.filed?.wing ?? docs.defaultWing(name);
  const project = { ...identity.project, folder: stagingFolder(identity.project, wing, filed) };
  const complete = !config.adHoc;
  const absorbs = complete ? absorbed(surveyed, project.id, filed, docs.isProjectRoot) : [];
  const before = identity.filed;
  const left = before !== undefined && (before.wing !== wing || before.folder !== project.folder);
  return {
    ...surveyed,
    folder: surveyed.folder === undefined ? undefined : await names.path(surveyed.folder),
    survey: docs.passOverForgotten(surveyed.survey, project.id, palace?.forgetting.names()),
    project,
    wing,
    previousWings: [...(left ? [before.wing] : []), ...absorbs.map((other) => other.wing)],
    complete,
    absorbs: absorbs.map((other) => other.id),
    filed,
  };
}

/** What takes secrets out of the names of documents and folders. */
async function namesFor({ filing }: DocsConfig, { config }: CommandContext) {
  const { cleanPath, createSanitiser } = await import('../../../sanitiser/index.js');
  const sanitiser = await createSanitiser({ redact: filing.redact, rules: config.privacy.rules });
  return { sanitiser, path: (path: string) => cleanPath(path, sanitiser) };
}

async function survey(
  config: DocsConfig,
  folders: Folders,
  filed: readonly FiledProject[],
  context: CommandContext,
): Promise<SurveyedProject> {
  const [docs, { approvalOfRules }] = await Promise.all([
    import('../../../feeders/docs/index.js'),
    import('../projects/pinning-rules.js'),
  ]);
  const found = await docs.findProjectRoot(config.dir, folders.home);
  const { root, folder } = docs.isProjectRoot(found.root) ? found : withinFiled(found.root, filed);
  const projectConfig = await docs.readProjectConfig(root);
  const { approved, note } = approvalOfRules(root, projectConfig, folders);
  const result = await docs.surveyProject({
    root,
    folder,
    include: config.include,
    // Not of this run alone, unlike those of the command line: what they leave out is to go.
    exclude: [...context.config.privacy.excludePatterns, ...config.exclude],
    gitignore: config.gitignore,
    maxFileSize: config.maxFileSize,
    config: projectConfig,
    approved,
    signal: context.signal,
  });
  const notes = note === undefined ? result.notes : [...result.notes, note];
  return { root, folder, config: projectConfig, survey: { ...result, notes } };
}

/** A folder without a mark of its own belongs to the project around it that was filed before. */
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

/** Projects that were filed from inside this one, and whose documents this batch lists as its own. */
function absorbed(
  surveyed: SurveyedProject,
  id: string,
  filed: readonly FiledProject[],
  isProjectRoot: (folder: string) => boolean,
): FiledProject[] {
  return filed
    .filter((other) => other.id !== id && other.root.startsWith(surveyed.root + sep))
    .filter((other) => existsSync(other.root) && !isProjectRoot(other.root))
    .filter((other) => {
      const below = `${relative(surveyed.root, other.root).split(sep).join('/')}/`;
      return surveyed.survey.documents.some((document) => document.relativePath.startsWith(below));
    });
}
