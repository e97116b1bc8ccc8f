import { existsSync } from 'node:fs';
import { UserError } from '../../../core/errors.js';
import { realPathOfMarked } from '../../../core/marked-path.js';
import { markIn } from '../../../core/project-id.js';
import { isOfKind, KEY_KIND } from '../../../core/source-key.js';
import { previewBatch } from '../../../feeders/docs/preview.js';
import { refuseRoot } from '../../../feeders/docs/root.js';
import type { SessionOptions } from '../../../feeders/session/options.js';
import { eraseStaged } from '../../../feeders/staging/erase-staged.js';
import {
  sessionsElsewhere,
  unchecked,
  verifyAbsent,
  verifyDocument,
  verifyElsewhere,
} from '../../../maintenance/verify/documents.js';
import { disagrees, findingOf } from '../../../maintenance/verify/finding.js';
import { withGone } from '../../../maintenance/verify/live.js';
import { removeOrphans, stillOrphaned, verifySessions } from '../../../maintenance/verify/sessions.js';
import { requireWing } from '../../../operations/known-names.js';
import { keepBackup, Palace } from '../../../store/index.js';
import { plural } from '../../../terminal/durations.js';
import { confirm } from '../../app/confirm.js';
import { EXIT } from '../../app/exit.js';
import type { Staging } from '../../app/feed.js';
import { exitCodeFor, withRun } from '../../app/filing.js';
import { createCommand, type FlagsOf, minMessagesOption, repeatable, waitOption } from '../../app/options.js';
import { action, type ProgramContext } from '../../app/runner.js';
import { sanitiserFor } from '../../app/sanitiser.js';
import { problemsOf } from '../../app/summary.js';
import { identify } from '../docs/run.js';
import { databasesOf, sessionOptions } from '../session/run.js';
import { filedConversations } from '../session/transcripts.js';
import { printVerified, type Removed, Tally } from './print.js';

const HELP = `
Reads, redacts and transcribes sessions and documents like the feeders, and
compares them with the palace, including each part of a session:
  missing      should be filed, but is not
  stale        has changed; the next run files it again, or removes it
  orphaned     is filed, but its original is gone
  held back    the next run keeps the filed version, and says why
  not checked  a database or a folder cannot be read
  kept         has lost filed messages; they stay in the palace (only a note)
Any other gives exit code 3. Forgotten sources are not missing. --apply
removes only orphans and leaves no tombstone: if an original returns, it is
filed again.

Examples:
  mempalace verify                      everything, one line per wing
  mempalace verify --session ses_0123   one session, with its parts
  mempalace verify --apply --dry-run    what would be removed`;

export const command = createCommand('verify', 'Compare the palace with its original sources')
  .option('--session <id>', 'only this session (repeatable)', repeatable)
  .option('--docs <dir>', 'only documents in this project folder, or in a folder inside one')
  .option('--wing <name>', 'only sources of this wing')
  .option('--db <file>', 'an opencode database or its folder (repeatable)', repeatable)
  .addOption(minMessagesOption('do not report shorter sessions as missing'))
  .option('--apply', 'remove orphaned sources, after confirmation')
  .option('--dry-run', 'with --apply: show what would be removed; change nothing')
  .option('--yes', 'do not ask')
  .option('--no-backup', 'with --apply: keep no backup of the palace')
  .option('--no-redact', 'for a palace that was filed with --no-redact')
  .addOption(waitOption())
  .addHelpText('after', HELP);
type VerifyFlags = FlagsOf<typeof command>;
command.action(action(runVerify, { here: true }));

async function runVerify(context: ProgramContext, flags: VerifyFlags): Promise<number> {
  const { apply = false, dryRun = false } = flags;
  if (flags.yes === true && !apply) throw new UserError('usage', '--yes is for --apply');
  const startedAt = performance.now();
  const verification = new Verification(context, flags);
  await verification.run();
  const { tally } = verification;
  const print = (removed: Removed | undefined) =>
    printVerified(tally, removed, { dryRun, startedAt }, context);
  const orphans = tally.findings.filter(({ status }) => status === 'orphaned');
  const question = `Remove ${plural(orphans.length, 'source')} that ${orphans.length === 1 ? 'is' : 'are'} gone?`;
  if (apply && !dryRun && orphans.length > 0 && (await confirm(question, flags.yes, context))) {
    return removeUnderLock(verification, flags, context, print);
  }
  print(apply ? { sources: dryRun ? orphans.length : 0, drawers: 0, staged: 0 } : undefined);
  return codeOf(tally);
}

function codeOf({ findings, unread }: Tally): number {
  return findings.some(disagrees) ? EXIT.incomplete : exitCodeFor(unread);
}

async function removeUnderLock(
  { tally, feeder }: Verification,
  { wait: waitMs, backup }: VerifyFlags,
  context: ProgramContext,
  print: (removed: Removed) => void,
): Promise<number> {
  const { folders, signal, command } = context;
  return withRun({ command, waitMs }, context, async ({ palace, run }) => {
    const gone = await stillOrphaned(tally.findings, palace, feeder);
    if (backup && gone.length > 0) keepBackup(folders.palace, 'verify', { run: { id: run.id } });
    const erasing = { cache: folders.cache, command, waitMs, signal };
    const staged = await eraseStaged({ ...erasing, traces: gone });
    const removed = { sources: gone.length, drawers: removeOrphans(palace, gone), staged };
    tally.settle(new Set(gone.map(({ sourceKey }) => sourceKey)));
    print(removed);
    const counts = { ...tally.counts, removed: removed.sources, drawers_removed: removed.drawers };
    return { exitCode: codeOf(tally), counts, skipped: problemsOf(tally.unread) };
  });
}

/** Compares the palace with sessions, documents and transcripts, as far as the flags say. */
class Verification {
  readonly tally: Tally;
  /** Options of the session feeder; undefined if no session was checked. */
  feeder: SessionOptions | undefined;

  constructor(
    private readonly context: ProgramContext,
    private readonly flags: VerifyFlags,
  ) {
    this.tally = new Tally(flags.wing);
  }

  async run(): Promise<void> {
    const { session, docs, redact } = this.flags;
    const { folders, signal, command } = this.context;
    const everything = session === undefined && docs === undefined;
    const palace = Palace.read(folders.palace);
    try {
      requireWing(this.flags.wing, palace.rooms());
      const sanitiser = await sanitiserFor(redact, this.context);
      const { cache } = folders;
      const staging = { sanitiser, cache, force: false, command, waitMs: 0, signal };
      const elsewhere = session && sessionsElsewhere(palace, session);
      const others = session?.filter((id) => !elsewhere?.some(({ sessionId }) => sessionId === id));
      if (everything || others?.length) await this.#checkSessions(others, palace, staging);
      if (docs !== undefined) await this.#checkProject(docs, palace, staging);
      if (everything) await this.#checkProjects(palace, staging);
      if (!everything && session === undefined) return;
      const known = { filed: filedConversations(palace), forgotten: palace.forgetting.keys() };
      const compared = verifyElsewhere(palace, { ...staging, ...known }, elsewhere);
      for await (const finding of withGone(compared, palace)) this.tally.add(finding);
    } finally {
      palace.close();
    }
  }

  /** Sessions of opencode. Without it, its filed ones cannot be checked. */
  async #checkSessions(session: string[] | undefined, palace: Palace, staging: Staging): Promise<void> {
    // --wing chooses among the findings. For the feeder it would be the wing of all sessions that are not filed.
    const { wing: _, ...others } = this.flags;
    const flags = { ...others, session, subagents: true };
    try {
      const databases = databasesOf(flags, this.context);
      this.feeder = sessionOptions(flags, databases, '', palace, staging, this.context);
    } catch (error) {
      if (!(error instanceof UserError) || error.code !== 'not-found') throw error;
      const { db } = flags;
      const filed = [...palace.sources.ofKind('conversation').values()].filter(
        ({ sourceKey, sessionId }) =>
          isOfKind(sourceKey, KEY_KIND.opencode) &&
          (session === undefined || session.includes(sessionId ?? '')),
      );
      // Without opencode there is nothing to compare, unless the user named a database or a session.
      if (db !== undefined) throw error;
      if (filed.length === 0 && session !== undefined)
        throw new UserError('not-found', `no session ${session.join(', ')} is filed, and ${error.message}`);
      for (const source of filed) this.tally.add(findingOf(source, 'not_checked', { detail: error.message }));
      return;
    }
    const { feeder } = this;
    await this.context.terminal.during('verifying', async ({ update }) => {
      const onProgress = (done: number, total: number) => update(done, total, 'sessions');
      const checking = { palace, feeder, onProgress };
      for await (const finding of withGone(verifySessions(checking), palace)) this.tally.add(finding);
    });
  }

  async #checkProjects(palace: Palace, staging: Staging): Promise<void> {
    const all = palace.projects.all();
    await this.context.terminal.during('verifying', async ({ update }) => {
      for (const [index, { id, root }] of all.entries()) {
        update(index, all.length, 'projects');
        const absent = (why: string) => {
          for (const finding of unchecked(id, why, palace)) this.tally.add(finding);
        };
        if (markIn(id) !== '') {
          absent('another machine filed it, and its folder is there');
          continue;
        }
        const there = realPathOfMarked(root);
        if (there === undefined || !existsSync(there)) {
          absent(`the folder ${root} does not exist`);
          continue;
        }
        try {
          const checked = await this.#checkProject(there, palace, staging);
          if (checked !== id)
            absent('its folder now belongs to another project; the next run files it there');
        } catch (error) {
          if (!(error instanceof UserError) || error.code === 'interrupted') throw error;
          this.tally.unread.push({ origin: root, reason: error.message, problem: true });
          absent(error.message);
        }
      }
    });
  }

  /** @returns the id of the project that the folder belongs to */
  async #checkProject(dir: string, palace: Palace, { sanitiser, signal }: Staging): Promise<string> {
    const { folders } = this.context;
    await refuseRoot(dir, folders.home, folders);
    const flags = { gitignore: true, wait: 0, redact: this.flags.redact, color: false };
    const identified = await identify(dir, flags, palace, sanitiser, this.context);
    const { wing, project, survey } = identified;
    const batch = await previewBatch(identified, {
      filedAs: (key) => palace.sources.byKey(key),
      sanitiser,
      signal,
      onRead: (source, content) => this.tally.add(verifyDocument(source, content, palace)),
    });
    for (const finding of verifyAbsent(batch, project.root, palace)) this.tally.add(finding);
    for (const skip of [...survey.skipped, ...batch.skipped]) {
      const { origin, reason, problem } = skip;
      if (problem === true) this.tally.unread.push(skip);
      if (reason === 'forgotten')
        this.tally.add(findingOf({ kind: 'document', sourceKey: origin, origin, wing }, 'forgotten'));
    }
    return project.id;
  }
}
