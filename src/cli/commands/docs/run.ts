import { resolve } from 'node:path';
import type { FoundDocument, IdentifiedProject } from '../../../feeders/docs/index.js';
import { type Folders, resolveFolders } from '../../../platform/folders.js';
import type { Sanitiser } from '../../../sanitiser/index.js';
import type { Palace } from '../../../store/index.js';
import type { Expected } from '../../app/estimate.js';
import { type Fed, feed, type Preview, printed } from '../../app/feed.js';
import type { CommandContext } from '../../app/runner.js';
import { sanitiserFor, shownPath } from '../../app/sanitiser.js';
import { line } from '../../terminal/terminal.js';
import type { DocsConfig } from './config.js';

/** Documents to show per class without --verbose. */
const LISTED = 5;

/** `mempalace-docs <dir>`, and `mempalace mine --mode docs <dir>`. Returns the exit code. */
export async function runDocs(config: DocsConfig, context: CommandContext): Promise<number> {
  return printed(await feedDocs(config, context), context);
}

/** @param part one of several projects */
export async function feedDocs(config: DocsConfig, context: CommandContext, part = false): Promise<Fed> {
  const folders = resolveFolders(context.env, config.palace);
  const { cache, home, palace: folder } = folders;
  const docs = await import('../../../feeders/docs/index.js');
  await docs.refuseRoot(config.dir, home, { palace: folder, cache });
  // A malformed mempalace.yaml ends the run before the palace is made or locked.
  await docs.readProjectConfig((await docs.findProjectRoot(config.dir, home)).root);
  const { command, filing, dryRun, stageOnly } = config;
  const sanitiser = await sanitiserFor(filing.redact, context);
  const dir = await shownPath(resolve(config.dir), filing.redact, context);
  return feed<IdentifiedProject>(
    {
      unit: 'bytes',
      survey: (palace) => identify(config, folders, palace, sanitiser, context),
      stage: async (identified, progress) => [
        await docs.stageProject({
          ...identified,
          ...progress,
          cache,
          sanitiser,
          force: filing.force,
          command,
          waitMs: filing.waitMs,
          signal: context.signal,
        }),
      ],
      preview: (identified, palace) => preview(config, identified, palace, sanitiser, context),
      facts: ({ wing, survey }) => ({ wing, notes: survey.notes }),
      report({ survey }) {
        for (const note of survey.notes) context.terminal.note(`note: ${line(note)}`);
      },
    },
    {
      command,
      scope: JSON.stringify({ dir, wing: config.wing ?? null }),
      narrowed: config.adHoc,
      filing: { ...filing, palace: folder },
      instead: dryRun ? 'dry-run' : stageOnly ? 'stage-only' : undefined,
      limit: config.limit,
      allowRemovals: config.allowRemovals,
      part,
    },
    context,
  );
}

/** @throws UserError if the folder cannot be listed, or its mempalace.yaml is malformed */
export async function identify(
  config: DocsConfig,
  folders: Folders,
  palace: Palace | undefined,
  sanitiser: Sanitiser,
  context: CommandContext,
): Promise<IdentifiedProject> {
  const [{ findProject }, { approvalOfRules }] = await Promise.all([
    import('../../../feeders/docs/index.js'),
    import('../projects/pinning-rules.js'),
  ]);
  return findProject(
    {
      ...config,
      // Documents that match the settings' patterns are removed, unlike those of the command line.
      exclude: [...context.config.privacy.excludePatterns, ...config.exclude],
      home: folders.home,
      sanitiser,
      approve: (root, rules) => approvalOfRules(root, rules, folders),
      signal: context.signal,
    },
    {
      filed: palace?.projects.all() ?? [],
      pathsOf: (id) => palace?.projects.pathsOf(id) ?? [],
      forgotten: palace?.forgetting.names() ?? new Set(),
    },
  );
}

async function preview(
  config: DocsConfig,
  identified: IdentifiedProject,
  palace: Palace | undefined,
  sanitiser: Sanitiser,
  { terminal, signal }: CommandContext,
): Promise<Preview> {
  const [{ previewBatch }, { planBatch }, { planRemovals }] = await Promise.all([
    import('../../../feeders/docs/index.js'),
    import('../../../miner/plan.js'),
    import('../../../miner/removals.js'),
  ]);
  const { project, survey, wing } = identified;
  const batch = await previewBatch(identified, {
    filedAs: (key) => palace?.sources.byKey(key),
    sanitiser,
    signal,
  });
  const plan = planBatch(batch, palace, config.filing.force);
  const removals = palace === undefined ? undefined : planRemovals(batch, palace, config.allowRemovals);
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
  const count = (status: string) => documents.filter((document) => document.status === status).length;
  const skipped = [...survey.skipped, ...batch.skipped, ...(removals?.heldBack ? [removals.heldBack] : [])];
  const gone = (removals?.sources ?? []).map(({ sourceFile }) => sourceFile);
  const { verbose } = terminal.options;
  const lines = [`${terminal.style('bold', wing)}  ${line(project.root)}`];
  for (const name of new Set(documents.map((document) => document.class))) {
    const group = documents.filter((document) => document.class === name);
    const shown = verbose ? group : group.slice(0, LISTED);
    lines.push(`would take ${group.length} ${name}`);
    lines.push(...shown.map(({ status, path }) => `  ${status.padEnd(9)} ${line(path)}`));
    if (shown.length < group.length) lines.push(`  … ${group.length - shown.length} more (--verbose)`);
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
    counts: {
      new: count('new'),
      changed: count('changed'),
      unchanged: count('unchanged'),
      moved: plan.moved,
      removed: gone.length,
    },
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
      const [{ readDocument, UnreadDocument }, { textSegments }] = await Promise.all([
        import('../../../feeders/docs/index.js'),
        import('../../../miner/read/document.js'),
      ]);
      try {
        yield* textSegments((await readDocument(document, sanitiser)).content, { name, mtimeMs });
      } catch (error) {
        if (!(error instanceof UnreadDocument)) throw error;
      }
    },
  };
}
