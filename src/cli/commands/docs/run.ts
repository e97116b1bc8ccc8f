import { join, resolve } from 'node:path';
import { groupBy } from '../../../core/group-by.js';
import { plural } from '../../../core/plural.js';
import { readProjectConfig } from '../../../feeders/docs/config.js';
import { previewBatch } from '../../../feeders/docs/preview.js';
import { findProject, type IdentifiedProject } from '../../../feeders/docs/project.js';
import { readDocument, UnreadDocument } from '../../../feeders/docs/read.js';
import { findProjectRoot, isProjectRoot, refuseRoot } from '../../../feeders/docs/root.js';
import { stageProject } from '../../../feeders/docs/stage.js';
import type { FoundDocument } from '../../../feeders/docs/survey.js';
import { planBatch } from '../../../miner/plan.js';
import { planRemovals } from '../../../miner/removals.js';
import { locate } from '../../../platform/checkout.js';
import { shellQuoted } from '../../../platform/shell-quoted.js';
import type { Sanitiser } from '../../../sanitiser/index.js';
import type { Palace } from '../../../store/index.js';
import { line } from '../../../terminal/terminal.js';
import type { Expected } from '../../app/estimate.js';
import { type Fed, feed, type Preview } from '../../app/feed.js';
import type { Known } from '../../app/known.js';
import { ownMark } from '../../app/named-broker.js';
import type { CommandContext } from '../../app/runner.js';
import { shownPath } from '../../app/sanitiser.js';
import type { DocsFlags } from '../../programs/docs.js';
import { approvalOfRules } from '../projects/pinning-rules.js';

/** New documents to show per class without --verbose. */
const LISTED = 5;
const PROJECTS_NAMED = 3;

const COMMAND = 'mempalace-docs';
export const MAX_FILE_BYTES = 2 * 1024 ** 2;

/** `mempalace-docs <dir>`, and `mempalace mine --mode docs <dir>`. @param part one of several projects */
export async function feedDocs(
  given: string,
  flags: DocsFlags,
  context: CommandContext,
  part = false,
): Promise<Fed> {
  const { folders } = context;
  await refuseRoot(given, folders.home, folders);
  // A malformed mempalace.yaml ends the run before the palace is made or locked.
  await readProjectConfig((await findProjectRoot(given, folders.home)).root);
  const dir = await shownPath(resolve(given), flags.redact, context);
  return feed<IdentifiedProject>(
    {
      unit: 'bytes',
      survey: (palace, { sanitiser }) => identify(given, flags, palace, sanitiser, context),
      stage: async (identified, options) => [await stageProject({ ...identified, ...options })],
      preview: (identified, palace, { sanitiser }) => preview(flags, identified, palace, sanitiser, context),
      facts: ({ wing, survey }) => ({ wing, notes: survey.notes }),
      report({ survey }) {
        for (const note of survey.notes) context.terminal.note(`note: ${line(note)}`);
      },
    },
    {
      command: COMMAND,
      scope: JSON.stringify({ dir, wing: flags.wing ?? null }),
      narrowed: isAdHoc(flags),
      flags,
      part,
    },
    context,
  );
}

/** Whether the selection is for this run only, so that the run does not know which documents are gone. */
export function isAdHoc({ include, exclude, gitignore, maxFileSize }: DocsFlags): boolean {
  return include !== undefined || exclude !== undefined || !gitignore || maxFileSize !== undefined;
}

/** @throws UserError if the folder cannot be listed, or its mempalace.yaml is malformed */
export async function identify(
  dir: string,
  flags: DocsFlags,
  palace: Known | undefined,
  sanitiser: Sanitiser,
  context: CommandContext,
): Promise<IdentifiedProject> {
  const identified = await findProject(
    {
      dir,
      wing: flags.wing,
      include: flags.include ?? [],
      // Documents that match the settings' patterns are removed, unlike those of the command line.
      exclude: [...context.config.privacy.excludePatterns, ...(flags.exclude ?? [])],
      gitignore: flags.gitignore,
      maxFileSize: flags.maxFileSize ?? MAX_FILE_BYTES,
      adHoc: isAdHoc(flags),
      home: context.folders.home,
      sanitiser,
      mark: ownMark(context.config),
      approve: (root, rules) => approvalOfRules(root, rules, context.folders),
      signal: context.signal,
    },
    {
      filed: palace?.projects.all() ?? [],
      pathsOf: (id) => palace?.projects.pathsOf(id) ?? [],
      forgotten: palace?.forgetting.names() ?? new Set(),
    },
  );
  identified.survey.notes.push(...notColdYet(identified, context.config.search.cold));
  identified.survey.notes.push(...ofProjects(identified), ...ofWorktree(dir, identified));
  return identified;
}

/** The projects in a folder that is not a project itself. Each of them is to be filed separately. */
function ofProjects({ root, survey: { documents, nested } }: IdentifiedProject): string[] {
  if (nested.length === 0 || (documents.length > 0 && isProjectRoot(root))) return [];
  const named = nested.slice(0, PROJECTS_NAMED).map((folder) => shellQuoted(join(root, folder)));
  const more = nested.length > PROJECTS_NAMED ? ' …' : '';
  return [
    `this folder contains ${plural(nested.length, 'project')}; list what you want: mempalace projects add ${named.join(' ')}${more}, then mempalace-docs --all`,
  ];
}

function ofWorktree(dir: string, { root }: IdentifiedProject): string[] {
  const { worktree } = locate(resolve(dir)) ?? {};
  return worktree?.main === root
    ? [`${worktree.root} is a worktree of ${root}, whose documents are filed`]
    : [];
}

/** What a search leaves out is the user's to decide: a project can only ask for it. */
function notColdYet({ wing, coldRooms }: IdentifiedProject, cold: readonly string[]): string[] {
  return coldRooms
    .filter((room) => !cold.includes(wing) && !cold.includes(`${wing}/${room}`))
    .map(
      (room) =>
        `mempalace.yaml calls ${wing}/${room} cold, and searches find it: search.cold does not contain it`,
    );
}

async function preview(
  { force = false, allowRemovals = false }: DocsFlags,
  identified: IdentifiedProject,
  palace: Palace | undefined,
  sanitiser: Sanitiser,
  { terminal, signal }: CommandContext,
): Promise<Preview> {
  const { project, survey, wing } = identified;
  const batch = await previewBatch(identified, {
    filedAs: (key) => palace?.sources.byKey(key),
    sanitiser,
    signal,
  });
  const plan = planBatch(batch, palace, force);
  const removals = palace === undefined ? undefined : planRemovals(batch, palace, allowRemovals);
  const todo = new Map(plan.toFile.map((each) => [each.source.origin, each]));
  const listed = new Set(batch.sources.map(({ origin }) => origin));
  const found = survey.documents.filter(({ origin }) => listed.has(origin));
  const documents = found.map((document) => {
    const planned = todo.get(document.origin);
    return {
      path: document.relativePath,
      class: document.documentClass,
      room: document.room,
      bytes: document.size,
      status: planned === undefined ? 'unchanged' : planned.filed === undefined ? 'new' : 'changed',
    };
  });
  const skipped = [...survey.skipped, ...batch.skipped, ...(removals?.heldBack ? [removals.heldBack] : [])];
  const gone = (removals?.sources ?? []).map(({ sourceFile }) => sourceFile);
  const { verbose } = terminal.options;
  const lines = [`${terminal.style('bold', wing)}  ${line(project.root)}`];
  for (const [name, group] of groupBy(documents, (document) => document.class)) {
    const having = (wanted: string) => group.filter(({ status }) => status === wanted);
    const added = having('new');
    const shown = verbose ? group : [...having('changed'), ...added.slice(0, LISTED)];
    const unchanged = having('unchanged').length;
    lines.push(`would take ${group.length} ${name}${unchanged > 0 ? `, ${unchanged} unchanged` : ''}`);
    lines.push(...shown.map(({ status, path }) => `  ${status.padEnd(9)} ${line(path)}`));
    if (!verbose && added.length > LISTED) lines.push(`  … ${added.length - LISTED} more new (--verbose)`);
  }
  return {
    facts: {
      project: project.root,
      wing,
      documents,
      removals: gone,
      notes: survey.notes,
      ...(verbose ? { skips: skipped } : {}),
    },
    statuses: documents.map(({ status }) => status),
    moved: plan.moved,
    removed: gone.length,
    skipped,
    lines,
    removals: gone,
    expected: found.flatMap((document) => {
      const planned = todo.get(document.origin);
      if (planned === undefined) return [];
      return [expectedOf(document, planned.filed && planned.source.sourceKey, sanitiser)];
    }),
    show: { examples: true, base: project.root },
  };
}

/** @param filed its source key if it is filed already */
function expectedOf(document: FoundDocument, filed: string | undefined, sanitiser: Sanitiser): Expected {
  const { relativePath: name, size: bytes, mtimeMs } = document;
  return {
    name,
    bytes,
    filed,
    async *segments() {
      const { textSegments } = await import('../../../miner/read/document.js');
      try {
        yield* textSegments((await readDocument(document, sanitiser)).content, { name, mtimeMs });
      } catch (error) {
        if (!(error instanceof UnreadDocument)) throw error;
      }
    },
  };
}
