import { existsSync } from 'node:fs';
import { basename, relative, resolve, sep } from 'node:path';
import type { Batch, Project, Skipped } from '../../../core/contract.js';
import { type Folders, resolveFolders } from '../../../platform/folders.js';
import { existsAs } from '../../../core/marked-path.js';
import type { TimeIsUp } from '../../../core/time-up.js';
import type { ProjectConfig, Survey } from '../../../feeders/docs/index.js';
import type { FiledProject, Palace } from '../../../store/index.js';
import type { DocsConfig } from './config.js';
import { dryRunDocs } from './dry-run.js';
import { exitCodeFor, fileBatches, stageAndFile, withRun } from '../../app/filing.js';
import type { CommandContext } from '../../app/runner.js';
import { shownPath } from '../../app/shown-path.js';
import { printStaged } from '../../app/staged-only.js';
import { countsOf, printSummary, problemsOf, type Summary, summarise } from '../../app/summary.js';
import { line } from '../../terminal/terminal.js';
import { startTimeLimit, timeUpProblems } from '../../app/time-limit.js';

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

/** What `mempalace-docs` says of a run. */
type DocsSummary = Summary & { wing: string; notes: string[] };

/**
 * `mempalace-docs <dir>`, and `mempalace mine --mode docs <dir>`. Returns the exit code.
 *
 * @param tell gets what a run did that files
 */
export async function runDocs(
  config: DocsConfig,
  context: CommandContext,
  tell = (summary: DocsSummary, skips: readonly Skipped[]) => printSummary(context.terminal, summary, skips),
): Promise<number> {
  const folders = resolveFolders(context.env, config.palace);
  const docs = await import('../../../feeders/docs/index.js');
  await docs.refuseRoot(config.dir, folders.home, { palace: folders.palace, cache: folders.cache });
  if (!config.filing.redact) context.terminal.warn('secrets are kept as they are (--no-redact)');
  if (config.dryRun || config.stageOnly) {
    const { Palace } = await import('../../../store/index.js');
    const palace = Palace.readIfAny(folders.palace);
    try {
      const identified = await identify(config, folders, palace, context);
      if (config.dryRun) return await dryRunDocs(config, identified, palace, context);
      const batch = await stage(config, identified, folders, context);
      return printStaged(config.command, [batch], batch.skipped, context.terminal);
    } finally {
      palace?.close();
    }
  }
  // Before the palace is made or locked: a malformed mempalace.yaml must leave nothing behind.
  await docs.readProjectConfig((await docs.findProjectRoot(config.dir, folders.home)).root);
  const startedAt = performance.now();
  const dir = await shownPath(resolve(config.dir), config.filing.redact, context);
  const scope = JSON.stringify({ dir, wing: config.wing ?? null });
  return withRun(
    { ...config.filing, palace: folders.palace },
    { command: config.command, scope, narrowed: config.adHoc },
    context,
    async (open) => {
      const timeIsUp = startTimeLimit(config.filing.maxDurationMs);
      const identified = await identify(config, folders, open.palace, context);
      const { staged: batch, mined } = await stageAndFile(
        () => stage(config, identified, folders, context, timeIsUp),
        (batch) =>
          fileBatches(
            {
              open,
              batches: [batch],
              config: { ...config.filing, palace: folders.palace },
              addedBy: config.command,
              allowRemovals: config.allowRemovals,
              limit: config.limit,
              timeIsUp,
            },
            context,
          ),
        open.palace,
      );
      const skipped = batch?.skipped ?? [];
      const summary = summarise({ command: config.command, skipped, mined, startedAt });
      const all = [...skipped, ...mined.problems, ...timeUpProblems(mined.left)];
      for (const note of identified.survey.notes) context.terminal.note(`note: ${line(note)}`);
      tell({ ...summary, wing: identified.wing, notes: identified.survey.notes }, all);
      return { exitCode: exitCodeFor(all), counts: countsOf(summary), skipped: problemsOf(all) };
    },
  );
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

async function stage(
  config: DocsConfig,
  identified: IdentifiedProject,
  folders: Folders,
  context: CommandContext,
  timeIsUp?: TimeIsUp,
): Promise<Batch> {
  const [docs, { createSanitiser }] = await Promise.all([
    import('../../../feeders/docs/index.js'),
    import('../../../sanitiser/index.js'),
  ]);
  const bar = await context.terminal.progress('staging', 'bytes');
  try {
    return await docs.stageProject({
      survey: identified.survey,
      project: identified.project,
      wing: identified.wing,
      cache: folders.cache,
      sanitiser: await createSanitiser({
        redact: config.filing.redact,
        rules: context.config.privacy.rules,
      }),
      complete: identified.complete,
      folder: identified.folder,
      absorbs: identified.absorbs,
      previousWings: identified.previousWings,
      force: config.filing.force,
      command: config.command,
      waitMs: config.filing.waitMs,
      signal: context.signal,
      timeIsUp,
      onProgress: (done, total) => bar.update(done, total, ''),
    });
  } finally {
    bar.stop();
  }
}
