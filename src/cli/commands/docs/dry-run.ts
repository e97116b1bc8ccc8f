import type { Batch, Skipped, StagedSource } from '../../../core/contract.js';
import { documentKey } from '../../../core/source-key.js';
import type { FoundDocument } from '../../../feeders/docs/index.js';
import type { Sanitiser } from '../../../sanitiser/index.js';
import type { Palace } from '../../../store/index.js';
import { type Expected, estimate, formatEstimate, formatLargest } from '../../app/estimate.js';
import { exitCodeFor } from '../../app/filing.js';
import type { CommandContext } from '../../app/runner.js';
import { countReasons, printRemovals, printSkips, problemsOf } from '../../app/summary.js';
import { line } from '../../terminal/terminal.js';
import type { DocsConfig } from './config.js';
import type { IdentifiedProject } from './identify.js';

type Status = 'new' | 'changed' | 'unchanged';

/** What the run would do, from reading alone: neither the cache nor the palace is touched. */
export async function dryRunDocs(
  config: DocsConfig,
  identified: IdentifiedProject,
  palace: Palace | undefined,
  context: CommandContext,
): Promise<number> {
  const { terminal } = context;
  const [{ createSanitiser }, { planBatch }, { planRemovals }] = await Promise.all([
    import('../../../sanitiser/index.js'),
    import('../../../miner/plan.js'),
    import('../../../miner/removals.js'),
  ]);
  const sanitiser = await createSanitiser({
    redact: config.filing.redact,
    rules: context.config.privacy.rules,
  });
  const batch = await wouldBeBatch(identified, palace, sanitiser, context.signal);
  const listed = new Set(batch.sources.map((source) => source.sourceKey));
  const plan = planBatch(batch, palace, config.filing.force);
  const todo = new Map(
    plan.toFile.map(
      ({ source, filed }) => [source.sourceKey, filed === undefined ? 'new' : 'changed'] as const,
    ),
  );
  const removals = palace === undefined ? undefined : planRemovals(batch, palace, config.allowRemovals);
  const found = identified.survey.documents.filter((document) => listed.has(keyOf(identified, document)));
  const documents = found.map((document) => ({
    path: document.relativePath,
    class: document.documentClass,
    room: document.room,
    bytes: document.size,
    status: todo.get(keyOf(identified, document)) ?? ('unchanged' satisfies Status),
  }));
  const skipped = [
    ...identified.survey.skipped,
    ...batch.skipped,
    ...(removals?.heldBack === undefined ? [] : [removals.heldBack]),
  ];
  const count = (status: Status) => documents.filter((document) => document.status === status).length;
  const expected = await estimate(
    found.flatMap((document) => {
      const status = todo.get(keyOf(identified, document));
      const key = status === 'changed' ? keyOf(identified, document) : undefined;
      return status === undefined ? [] : [expectedOf(document, key, sanitiser)];
    }),
    palace,
    context.signal,
  );
  const result = {
    command: config.command,
    dry_run: true,
    project: identified.project.root,
    wing: identified.wing,
    documents,
    new: count('new'),
    changed: count('changed'),
    unchanged: count('unchanged'),
    moved: plan.moved,
    removed: removals?.sources.length ?? 0,
    removals: (removals?.sources ?? []).map((source) => source.sourceFile),
    skipped: skipped.length,
    skipped_by_reason: countReasons(skipped),
    problems: problemsOf(skipped),
    notes: identified.survey.notes,
    drawers_added: 0,
    drawers_total: palace?.drawerCount() ?? 0,
    drawers_estimated: expected.drawers,
    seconds_estimated: expected.seconds,
    largest: expected.largest,
  };
  if (terminal.options.json) {
    terminal.json({ ...result, ...(terminal.options.verbose ? { skips: skipped } : {}) });
    return exitCodeFor(skipped);
  }
  terminal.say(`${terminal.style('bold', identified.wing)}  ${line(identified.project.root)}`);
  for (const [name, group] of groupBy(documents, (document) => document.class)) {
    terminal.say(`would take ${group.length} ${name}`);
    const shown = terminal.options.verbose ? group : group.slice(0, 5);
    for (const document of shown) terminal.say(`  ${document.status.padEnd(9)} ${line(document.path)}`);
    if (shown.length < group.length) terminal.say(`  … ${group.length - shown.length} more (--verbose)`);
  }
  printRemovals(terminal, 'would remove', result.removals);
  printSkips(terminal, skipped, { examples: true, base: identified.project.root });
  for (const note of identified.survey.notes) terminal.note(`note: ${line(note)}`);
  const { new: added, changed, unchanged, removed } = result;
  terminal.say(`would file: ${added} new, ${changed} changed, ${unchanged} unchanged, ${removed} removed`);
  terminal.say(formatEstimate(expected));
  const largest = formatLargest(expected);
  if (largest !== undefined) terminal.say(largest);
  return exitCodeFor(skipped);
}

/**
 * The batch that staging would make. Of a project that the palace does not know only what the survey has not
 * seen whole is read, since it may turn out to be binary; of one that it knows, the documents whose mtime
 * differs, since one that was only touched or renamed is not new text.
 *
 * @param onRead makes that all are read, and gets each one, decoded and sanitised
 */
export async function wouldBeBatch(
  identified: IdentifiedProject,
  palace: Palace | undefined,
  sanitiser: Sanitiser,
  signal: AbortSignal,
  onRead?: (source: StagedSource, content: string) => void,
): Promise<Batch> {
  const { commitDates, HEAD_BYTES, readDocument, stagedAs, UnreadDocument } = await import(
    '../../../feeders/docs/index.js'
  );
  const sources: StagedSource[] = [];
  const skipped: Skipped[] = [];
  const unread: string[] = [];
  const known = identified.filed.some((project) => project.id === identified.project.id);
  const { documents } = identified.survey;
  const keyed = (document: FoundDocument) => palace?.sources.byKey(keyOf(identified, document));
  const doubtful = documents.filter(
    (document) => (keyed(document)?.mtimeMs ?? document.mtimeMs) !== document.mtimeMs,
  );
  const dates = await commitDates(identified.root, doubtful, signal);
  for (const found of documents) {
    signal.throwIfAborted();
    const document = { ...found, committedMs: dates.get(found.relativePath) };
    const target = stagedAs(document, identified.project, identified.wing, sanitiser);
    const filed = palace?.sources.byKey(target.sourceKey);
    if (onRead === undefined && filed?.mtimeMs === target.mtimeMs) {
      sources.push({ ...target, bytes: filed.bytes, hash: filed.hash });
    } else if (onRead === undefined && !known && document.size <= HEAD_BYTES) {
      sources.push({ ...target, bytes: document.size, hash: '' });
    } else {
      try {
        const { content, bytes, hash } = await readDocument(document, sanitiser);
        sources.push({ ...target, bytes, hash });
        onRead?.({ ...target, bytes, hash }, content);
      } catch (error) {
        if (!(error instanceof UnreadDocument)) throw error;
        skipped.push(error.skipped);
        if (error.skipped.problem === true) unread.push(document.relativePath);
      }
    }
  }
  const { project, complete, folder, absorbs, survey } = identified;
  return {
    sources,
    skipped,
    project,
    ...(complete
      ? { complete: { project: project.id, unread: [...survey.unread, ...unread], folder, absorbs } }
      : {}),
  };
}

/**
 * A document as the run would cut it.
 *
 * @param filed its source key when it is filed already
 */
function expectedOf(document: FoundDocument, filed: string | undefined, sanitiser: Sanitiser): Expected {
  const { relativePath: name, size: bytes, mtimeMs } = document;
  return {
    name,
    bytes,
    filed,
    async *segments() {
      const [{ readDocument, UnreadDocument }, { textSegments }] = await Promise.all([
        import('../../../feeders/docs/index.js'),
        import('../../../miner/segments.js'),
      ]);
      try {
        yield* textSegments((await readDocument(document, sanitiser)).content, { name, mtimeMs });
      } catch (error) {
        if (!(error instanceof UnreadDocument)) throw error;
      }
    },
  };
}

function keyOf(identified: IdentifiedProject, document: FoundDocument): string {
  return documentKey(identified.project.id, document.relativePath);
}

function groupBy<T>(items: readonly T[], key: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(key(item));
    if (group === undefined) groups.set(key(item), [item]);
    else group.push(item);
  }
  return groups;
}
