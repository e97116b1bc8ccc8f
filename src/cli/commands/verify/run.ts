import { existsSync } from 'node:fs';
import { suggest } from '../../../config/suggest.js';
import type { Skipped } from '../../../core/contract.js';
import { UserError } from '../../../core/errors.js';
import { realPathOfMarked } from '../../../core/marked-path.js';
import { isOfKind, KEY_KIND } from '../../../core/source-key.js';
import type { SessionOptions } from '../../../feeders/session/index.js';
import { eraseStaged } from '../../../feeders/staging/erase-staged.js';
import {
  disagrees,
  findingOf,
  removeOrphans,
  stillOrphaned,
  unchecked,
  verifyAbsent,
  verifyDocument,
  verifyElsewhere,
  verifySessions,
} from '../../../maintenance/verify/index.js';
import type { Folders } from '../../../platform/folders.js';
import type { Sanitiser } from '../../../sanitiser/index.js';
import { keepBackup, Palace } from '../../../store/index.js';
import { confirm } from '../../app/confirm.js';
import { plural } from '../../app/durations.js';
import { EXIT } from '../../app/exit.js';
import type { Staging } from '../../app/feed.js';
import { exitCodeFor, withRun } from '../../app/filing.js';
import type { CommonFlags } from '../../app/options.js';
import type { CommandContext } from '../../app/runner.js';
import { sanitiserFor } from '../../app/sanitiser.js';
import { problemsOf } from '../../app/summary.js';
import { identify } from '../docs/run.js';
import { databasesOf, type SessionFlags, sessionOptions } from '../session/run.js';
import { filedConversations } from '../session/transcripts.js';
import { countsOf, printVerified, type Removed, Tally } from './print.js';

const COMMAND = 'mempalace verify';

interface VerifyFlags extends CommonFlags {
  session?: string[];
  docs?: string;
  wing?: string;
  db?: string[];
  minMessages: number;
  apply?: boolean;
  dryRun?: boolean;
  yes?: boolean;
  /** Commander's negation of --no-backup. */
  backup: boolean;
  redact: boolean;
  wait: number;
}

interface Verified {
  tally: Tally;
  /** Places that could not be read. */
  unread: Skipped[];
  /** Options of the session feeder; undefined if no session was checked. */
  feeder: SessionOptions | undefined;
}

/** `mempalace verify`. */
export async function runVerify(context: CommandContext, flags: VerifyFlags): Promise<number> {
  const { apply = false, dryRun = false } = flags;
  if (flags.yes === true && !apply) throw new UserError('usage', '--yes is for --apply');
  const startedAt = performance.now();
  const verified = await verifyAll(flags, context);
  const { tally, unread } = verified;
  const print = (removed: Removed | undefined) =>
    printVerified({ tally, unread, removed, dryRun, startedAt }, context.terminal);
  const orphans = tally.findings.filter(({ status }) => status === 'orphaned');
  const question = `Remove ${plural(orphans.length, 'source')} that ${orphans.length === 1 ? 'is' : 'are'} gone?`;
  if (apply && !dryRun && orphans.length > 0 && (await confirm(question, flags.yes, context))) {
    return removeUnderLock(verified, flags, context, print);
  }
  print(apply ? { sources: dryRun ? orphans.length : 0, drawers: 0, staged: 0 } : undefined);
  return codeOf(verified);
}

function codeOf({ tally, unread }: Pick<Verified, 'tally' | 'unread'>): number {
  return tally.findings.some(disagrees) ? EXIT.incomplete : exitCodeFor(unread);
}

async function removeUnderLock(
  { tally, unread, feeder }: Verified,
  flags: VerifyFlags,
  context: CommandContext,
  print: (removed: Removed) => void,
): Promise<number> {
  const { folders, signal } = context;
  const waitMs = flags.wait;
  return withRun({ command: COMMAND, waitMs }, context, async ({ palace, run }) => {
    const gone = await stillOrphaned(tally.findings, palace, feeder);
    if (flags.backup && gone.length > 0) keepBackup(folders.palace, 'verify', { run: { id: run.id } });
    const erasing = { cache: folders.cache, command: COMMAND, waitMs, signal };
    const staged = await eraseStaged({ ...erasing, traces: gone });
    const removed = { sources: gone.length, drawers: removeOrphans(palace, gone), staged };
    tally.settle(new Set(gone.map(({ sourceKey }) => sourceKey)));
    print(removed);
    const counts = { ...countsOf(tally), removed: removed.sources, drawers_removed: removed.drawers };
    return { exitCode: codeOf({ tally, unread }), counts, skipped: problemsOf(unread) };
  });
}

async function verifyAll(flags: VerifyFlags, context: CommandContext): Promise<Verified> {
  const { session, docs, wing, redact } = flags;
  const { folders } = context;
  const everything = session === undefined && docs === undefined;
  const palace = Palace.read(folders.palace);
  const verified: Verified = { tally: new Tally(wing), unread: [], feeder: undefined };
  try {
    requireWing(wing, palace);
    const sanitiser = await sanitiserFor(redact, context);
    const { cache } = folders;
    const staging = { sanitiser, cache, force: false, command: COMMAND, waitMs: 0, signal: context.signal };
    if (everything || session !== undefined) {
      verified.feeder = feederOf({ ...flags, subagents: true }, palace, staging, verified, context);
      if (verified.feeder !== undefined) await checkSessions(verified.feeder, palace, verified, context);
    }
    const checking = { palace, folders, sanitiser, verified, session: context };
    if (docs !== undefined) await checkProject(docs, checking);
    if (everything) {
      await checkProjects(checking);
      for await (const finding of verifyElsewhere(palace, {
        ...staging,
        filed: filedConversations(palace),
        forgotten: palace.forgetting.keys(),
      }))
        verified.tally.add(finding);
    }
    return verified;
  } finally {
    palace.close();
  }
}

/** @throws UserError `not-found`, since a wing that does not exist would have no findings */
function requireWing(wing: string | undefined, palace: Palace): void {
  const wings = new Set(palace.rooms().map((room) => room.wing));
  if (wing === undefined || wings.has(wing)) return;
  const close = suggest(wing, [...wings]);
  throw new UserError('not-found', `the palace has no wing ${JSON.stringify(wing)}`, {
    hint: close === undefined ? 'mempalace list wings lists them' : `did you mean ${close}?`,
  });
}

/** Undefined if there is no opencode; its filed sessions cannot be checked. */
function feederOf(
  flags: SessionFlags,
  palace: Palace,
  staging: Staging,
  { tally }: Verified,
  context: CommandContext,
): SessionOptions | undefined {
  try {
    const databases = databasesOf(flags, context);
    return sessionOptions(flags, databases, '', palace, staging, context);
  } catch (error) {
    if (!(error instanceof UserError) || error.code !== 'not-found') throw error;
    const { session, db } = flags;
    const filed = [...palace.sources.ofKind('conversation').values()].filter(
      ({ sourceKey, sessionId }) =>
        isOfKind(sourceKey, KEY_KIND.opencode) &&
        (session === undefined || session.includes(sessionId ?? '')),
    );
    // Without opencode there is nothing to compare, unless the user named a database or a session.
    if (db !== undefined || (filed.length === 0 && session !== undefined)) throw error;
    for (const source of filed) tally.add(findingOf(source, 'not_checked', { detail: error.message }));
    return undefined;
  }
}

async function checkSessions(
  feeder: SessionOptions,
  palace: Palace,
  { tally }: Verified,
  { terminal }: CommandContext,
): Promise<void> {
  const bar = await terminal.progress('verifying');
  try {
    const onProgress = (done: number, total: number) => bar.update(done, total, 'sessions');
    for await (const finding of verifySessions({ palace, feeder, onProgress })) tally.add(finding);
  } finally {
    bar.stop();
  }
}

interface Checking {
  palace: Palace;
  folders: Folders;
  sanitiser: Sanitiser;
  verified: Verified;
  session: CommandContext;
}

async function checkProjects(checking: Checking): Promise<void> {
  const { palace, verified, session } = checking;
  const all = palace.projects.all();
  const bar = await session.terminal.progress('verifying');
  try {
    for (const [index, { id, root }] of all.entries()) {
      bar.update(index, all.length, 'projects');
      const absent = (why: string) => {
        for (const finding of unchecked(id, why, palace)) verified.tally.add(finding);
      };
      const there = realPathOfMarked(root);
      if (there === undefined || !existsSync(there)) {
        absent(`the folder ${root} does not exist`);
        continue;
      }
      try {
        const checked = await checkProject(there, checking);
        if (checked !== id) absent('its folder now belongs to another project; the next run files it there');
      } catch (error) {
        if (!(error instanceof UserError) || error.code === 'interrupted') throw error;
        verified.unread.push({ origin: root, reason: error.message, problem: true });
        absent(error.message);
      }
    }
  } finally {
    bar.stop();
  }
}

/** @returns the id of the project that the folder belongs to */
async function checkProject(
  dir: string,
  { palace, folders, sanitiser, verified, session }: Checking,
): Promise<string> {
  const { tally } = verified;
  const docs = await import('../../../feeders/docs/index.js');
  await docs.refuseRoot(dir, folders.home, folders);
  const flags = { gitignore: true, wait: 0, redact: sanitiser.version !== 0, color: false };
  const identified = await identify(dir, flags, palace, sanitiser, session);
  const batch = await docs.previewBatch(identified, {
    filedAs: (key) => palace.sources.byKey(key),
    sanitiser,
    signal: session.signal,
    onRead: (source, content) => tally.add(verifyDocument(source, content, palace)),
  });
  for (const finding of verifyAbsent(batch, identified.project.root, palace)) tally.add(finding);
  const skipped = [...identified.survey.skipped, ...batch.skipped];
  verified.unread.push(...skipped.filter(({ problem }) => problem === true));
  for (const { origin, reason } of skipped)
    if (reason === 'forgotten') {
      const { wing } = identified;
      tally.add(findingOf({ kind: 'document', sourceKey: origin, origin, wing }, 'forgotten'));
    }
  return identified.project.id;
}
