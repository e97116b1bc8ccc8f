import {
  findUncleanFacts,
  isUncleanFact,
  rewordFacts,
  type UncleanFacts,
} from '../../../knowledge/facts/index.js';
import { damagedPalaces, type UncleanBackup, uncleanBackups } from '../../../maintenance/index.js';
import {
  findUnclean,
  isUnclean,
  type ScrubScope,
  scrub,
  type UncleanSource,
} from '../../../maintenance/scrub/index.js';
import { resolveFolders } from '../../../platform/folders.js';
import { addCounts, createSanitiser, type TracingSanitiser } from '../../../sanitiser/index.js';
import { type Fact, Palace, removePalaceFile } from '../../../store/index.js';
import { parseDuration, plural } from '../../app/durations.js';
import { EXIT } from '../../app/exit.js';
import { withRun } from '../../app/filing.js';
import type { CommonFlags } from '../../app/options.js';
import { remoteModelWarning } from '../../app/remote-model-warning.js';
import type { CommandContext } from '../../app/runner.js';
import { line, type Terminal } from '../../terminal/terminal.js';

export interface ScrubFlags extends CommonFlags {
  wing?: string;
  all?: boolean;
  backups?: boolean;
  dryRun?: boolean;
  wait: string;
}

const COMMAND = 'mempalace scrub';
const SHOWN = 10;

/** `mempalace scrub`. Returns the exit code. */
export async function runScrub(flags: ScrubFlags, context: CommandContext): Promise<number> {
  const waitMs = parseDuration('--wait', flags.wait);
  const { palace: folder, cache } = resolveFolders(context.env, flags.palace);
  const scope: ScrubScope = { wing: flags.wing, all: flags.all === true };
  const sanitiser = await createSanitiser({ redact: true, rules: context.config.privacy.rules });
  if (flags.dryRun === true) return dryRun(folder, cache, scope, sanitiser, context);
  const { model } = Palace.look(folder, (palace) => ({ model: palace.model }));
  const { terminal, signal } = context;
  return withRun(
    { palace: folder, waitMs },
    { command: COMMAND, scope: JSON.stringify({ wing: flags.wing ?? null }), narrowed: true },
    context,
    async ({ palace, run }) => {
      const bar = await terminal.progress('looking');
      const embedder = embedderFor(palace, context);
      let staged = 0;
      try {
        // Before the sources: what is taken out here leaves free pages and the log with theirs.
        const facts = await uncleanFacts(palace, scope, sanitiser);
        rewordFacts(palace, facts.facts, new Date());
        const result = await scrub({
          ...scope,
          palace,
          sanitiser,
          run,
          embedder: embedder.start,
          signal,
          onProgress: (done, total) => bar.update(done, total, 'sources'),
          async beforeFiling(unclean) {
            const { eraseStaged } = await import('../../../feeders/staging/erase-staged.js');
            const traces = unclean.map(({ source }) => source);
            if (traces.length > 0)
              staged = await eraseStaged({
                cache,
                traces,
                stillFiled: true,
                command: COMMAND,
                waitMs,
                signal,
              });
          },
        });
        bar.stop();
        const kept = await backupsWithIt(folder, scope, sanitiser);
        const removed = flags.backups === true;
        if (removed) for (const { file } of kept) removePalaceFile(file);
        const unknown = damagedPalaces(folder);
        const { scrubbed, drawersAdded, drawersRemoved, embedded, logEmptied, runs } = result;
        const redacted = countsOf(scrubbed, facts);
        const counts = {
          looked_at: result.looked,
          redacted,
          drawers_added: drawersAdded,
          drawers_removed: drawersRemoved,
          embedded,
          staged_removed: staged,
          runs,
          facts: facts.facts.length,
        };
        if (terminal.options.json) {
          terminal.json({
            command: COMMAND,
            ...counts,
            sources: scrubbed.map(sourceRow),
            backups: kept.map(({ file, state }) => ({ file, outcome: removed ? 'removed' : state })),
            unknown,
            log_emptied: logEmptied,
          });
        }
        printSources('redacted', scrubbed, terminal);
        terminal.say(
          `${plural(scrubbed.length, 'source')} of ${result.looked} redacted${inWords(redacted)}; ${plural(staged, 'staged file')} erased`,
        );
        sayFacts('redacted', facts, terminal);
        printBackups(kept, removed, terminal);
        for (const file of unknown)
          terminal.warn(`${line(file)} is a damaged palace that may hold it: remove it when you can`);
        if (!logEmptied)
          terminal.warn(
            'another process is reading the palace, so its write-ahead log still contains the text: run this again when that process has ended',
          );
        const incomplete = (kept.length > 0 && !removed) || unknown.length > 0 || !logEmptied;
        return { exitCode: incomplete ? EXIT.incomplete : EXIT.done, counts, skipped: [] };
      } finally {
        bar.stop();
        await embedder.close();
      }
    },
    async () => model,
  );
}

async function dryRun(
  folder: string,
  cache: string,
  scope: ScrubScope,
  sanitiser: TracingSanitiser,
  { terminal, signal }: CommandContext,
): Promise<number> {
  const { countStaged } = await import('../../../feeders/staging/erase-staged.js');
  const palace = Palace.read(folder);
  try {
    const { looked, unclean } = await findUnclean(palace, sanitiser, scope, { signal });
    const kept = await backupsWithIt(folder, scope, sanitiser);
    const staged = countStaged(
      cache,
      unclean.map(({ source }) => source),
    );
    const facts = await uncleanFacts(palace, scope, sanitiser);
    const redacted = countsOf(unclean, facts);
    if (terminal.options.json) {
      terminal.json({
        command: COMMAND,
        dry_run: true,
        looked_at: looked,
        redacted,
        drawers_added: 0,
        drawers_removed: 0,
        embedded: 0,
        staged_removed: staged,
        runs: 0,
        facts: facts.facts.length,
        sources: unclean.map(sourceRow),
        backups: kept.map(({ file, state }) => ({ file, outcome: state })),
        unknown: damagedPalaces(folder),
      });
    }
    printSources('would redact', unclean, terminal);
    terminal.say(
      `would redact ${plural(unclean.length, 'source')} of ${looked}${inWords(redacted)}; ${plural(staged, 'staged file')} would be erased`,
    );
    sayFacts('would redact', facts, terminal);
    for (const { file, state } of kept)
      terminal.say(`${state === 'holds' ? 'holds it, too' : 'may hold it, too'}: ${line(file)}`);
    return EXIT.done;
  } finally {
    palace.close();
  }
}

/** One embedder, started when a text needs it. */
function embedderFor({ model }: Palace, { terminal, env }: CommandContext) {
  let started: ReturnType<typeof begin> | undefined;
  const begin = async () => {
    const { modelById, startEmbedder } = await import('../../../embedding/index.js');
    const note = remoteModelWarning(modelById(model.id, model.dimension));
    if (note !== undefined) terminal.warn(note);
    return startEmbedder({ modelId: model.id, dimension: model.dimension, env });
  };
  return {
    start: () => {
      started ??= begin();
      return started;
    },
    close: async () => (await started?.catch(() => undefined))?.close(),
  };
}

/** Facts belong to no wing, and no version is kept of them: they are looked at whenever no wing is named. */
async function uncleanFacts(
  palace: Palace,
  { wing }: ScrubScope,
  sanitiser: TracingSanitiser,
): Promise<UncleanFacts> {
  return wing === undefined ? findUncleanFacts(palace, sanitiser) : { facts: [], redacted: {} };
}

function backupsWithIt(
  folder: string,
  scope: ScrubScope,
  sanitiser: TracingSanitiser,
): Promise<UncleanBackup[]> {
  const facts = scope.wing === undefined ? (fact: Fact) => isUncleanFact(fact, sanitiser) : undefined;
  return uncleanBackups(folder, (source) => isUnclean(source, sanitiser, scope), facts);
}

function sayFacts(verb: string, { facts }: UncleanFacts, terminal: Terminal): void {
  if (facts.length > 0) terminal.say(`${verb} ${plural(facts.length, 'fact')}`);
}

function countsOf(
  unclean: readonly UncleanSource[],
  { redacted: ofFacts }: UncleanFacts,
): Record<string, number> {
  const all: Record<string, number> = { ...ofFacts };
  for (const { redacted } of unclean) addCounts(all, redacted);
  return Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function inWords(redacted: Record<string, number>): string {
  const words = Object.entries(redacted).map(([kind, count]) => `${count} ${kind}`);
  return words.length === 0 ? '' : `: ${words.join(', ')}`;
}

/** Names alone: a title may hold the very secret. */
function printSources(verb: string, unclean: readonly UncleanSource[], terminal: Terminal): void {
  const shown = terminal.options.verbose ? unclean : unclean.slice(0, SHOWN);
  for (const { source, redacted } of shown)
    terminal.say(`${verb} ${line(source.sourceKey)}${inWords(redacted)}`);
  if (shown.length < unclean.length)
    terminal.say(`${verb} ${unclean.length - shown.length} more (--verbose)`);
}

function printBackups(kept: readonly UncleanBackup[], removed: boolean, terminal: Terminal): void {
  for (const { file, state } of kept) {
    const holds = state === 'holds' ? 'still holds it' : 'cannot be read, and may hold it';
    if (removed) terminal.say(`removed ${line(file)}, which ${holds.replace('still holds', 'held')}`);
    else terminal.warn(`${line(file)} ${holds}: mempalace scrub --backups deletes it`);
  }
}

function sourceRow({ source, redacted }: UncleanSource) {
  const { sourceKey, kind, wing, room } = source;
  return { source_key: sourceKey, kind, wing, room, redacted };
}
