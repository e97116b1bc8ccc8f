import * as z from 'zod/mini';
import { LONGEST_AGENT } from '../../core/agent-name.js';
import { UserError } from '../../core/errors.js';
import { fact } from '../../operations/facts/fact.js';
import { field, LONGEST_NAME, named } from '../../operations/fields.js';
import { forgetting } from '../../operations/forgetting.js';
import { ask } from '../../operations/operation.js';
import { DRIFT } from '../../service/contract/index.js';
import { defineTool, type Tool } from '../tool.js';

/** Shares of a call's time for a run, which then stops in order, and for waiting on another run. */
const RUN_SHARE = 0.8;
const WAIT_SHARE = 0.2;
const FINDINGS_SHOWN = 20;
const SOURCES_AT_MOST = 100;
const MOST_ID = 64;

const text = (description: string, longest = LONGEST_NAME) =>
  field(z.optional(z.string().check(z.maxLength(longest))), description);
const flag = (otherwise: boolean, description: string) =>
  field(z._default(z.boolean(), otherwise), description);

const option = (name: string, value: string | undefined) => (value === undefined ? [] : [name, value]);

const mine = defineTool({
  name: 'mempalace_mine',
  title: 'File a folder or the sessions',
  description:
    "Files new content: a project folder's documents, a folder of transcripts (mode convos), or the agents' sessions (source sessions, or opencode for its alone). A long run stops in time and reports how much is left: call again.",
  input: () =>
    z.strictObject({
      source: field(named(), 'absolute folder, sessions, or opencode'),
      mode: field(z._default(z.enum(['projects', 'docs', 'convos']), 'projects'), ''),
      wing: text('default: that of the project'),
      agent: text('who files it; default: you', LONGEST_AGENT),
      limit: field(
        z._default(z.int().check(z.minimum(0), z.maximum(1_000_000)), 0),
        'at most this many sources; 0: all',
      ),
      extract: text('of convos: exchange, the only form'),
      dry_run: flag(false, 'only report what would be filed'),
    }),
  writes: true,
  idempotent: true,
  logged: ['source', 'mode', 'dry_run'],
  async run({ source, mode, wing: inWing, agent, limit, extract, dry_run: dryRun }, call) {
    const sessions = source === 'sessions' || source === 'opencode';
    refuseExtract(extract, sessions || mode === 'convos');
    if (dryRun && limit > 0 && !sessions)
      throw new UserError('usage', 'limit does not apply to a dry run, which counts everything');
    const seconds = (share: number): string => `${Math.max(1, Math.floor((call.left() * share) / 1000))}s`;
    const args = [
      ...option('--wing', inWing),
      ...['--agent', agent ?? call.agent],
      ...(limit === 0 ? [] : ['--limit', String(limit)]),
      ...(dryRun ? ['--dry-run'] : ['--max-duration', seconds(RUN_SHARE)]),
      ...['--wait', seconds(WAIT_SHARE)],
    ];
    const { program } = call.host;
    const only = source === 'opencode' ? ['--from', 'opencode'] : [];
    if (sessions) return summary(await program('mempalace-session', [...only, ...args], call.signal));
    return summary(await program('mempalace', ['mine', '--mode', mode, ...args, '--', source], call.signal));
  },
});

const sync = defineTool({
  name: 'mempalace_sync',
  title: 'Remove documents without files',
  description:
    'Finds documents of a project whose files are gone; apply removes their drawers. A file that returns is filed again.',
  input: () =>
    z.strictObject({
      project_dir: text('absolute folder; default: all filed documents'),
      wing: text('only of this wing'),
      apply: flag(false, 'remove them; default: only list them'),
    }),
  writes: true,
  destructive: true,
  idempotent: true,
  logged: ['project_dir', 'wing', 'apply'],
  async run({ project_dir: dir, wing, apply }, call) {
    const where = [...option('--docs', dir), ...option('--wing', wing)];
    const args = ['verify', ...where, ...(apply ? ['--apply', '--yes'] : [])];
    const { findings, ...rest } = verified(await call.host.program('mempalace', args, call.signal));
    const orphaned = findings.filter(({ status }) => status === 'orphaned');
    return { success: true, orphaned: orphaned.slice(0, FINDINGS_SHOWN), ...rest };
  },
});

const verify = defineTool({
  name: 'mempalace_verify',
  title: 'Compare the palace with its sources',
  description:
    'Compares filed sessions and documents with their sources: counts of ok, missing, stale, orphaned; problems first.',
  input: () =>
    z.strictObject({
      session_id: text('only this session'),
      project_dir: text("only this project's documents"),
    }),
  async run({ session_id: session, project_dir: dir }, call) {
    // Fails early: the program could not read the palace either.
    await call.service.ask(DRIFT, {}, call);
    const args = ['verify', ...option('--session', session), ...option('--docs', dir)];
    const { findings, ...rest } = verified(await call.host.program('mempalace', args, call.signal));
    return {
      success: true,
      ...rest,
      findings: findings.slice(0, FINDINGS_SHOWN),
      findings_total: findings.length,
    };
  },
});

const deleteBySource = defineTool({
  name: 'mempalace_delete_by_source',
  title: 'Forget a source',
  description:
    'Reports what would be erased; with dry_run false it forgets a session or document permanently, with every drawer and in kept backups; later runs do not file it again. Ask the user first.',
  input: () =>
    z.strictObject({
      source_file: field(named(), 'source_file, session_id, path or source_key'),
      dry_run: flag(true, 'touch nothing'),
    }),
  writes: true,
  destructive: true,
  idempotent: true,
  logged: ({ source_file, dry_run }, { drawers_removed }) => ({ source_file, dry_run, drawers_removed }),
  async run({ source_file: name, dry_run: dryRun }, call) {
    if (name.includes('\0')) throw new UserError('usage', 'an argument contains a null character');
    const { cleanPath } = await import('../../sanitiser/index.js');
    // Secrets are redacted in filed names.
    const filedAs = await cleanPath(name, await call.host.sanitiser());
    const asked = { source: filedAs, paths: filedAs === name ? [] : [name] };
    const dry = await ask(call.service, forgetting.forgetDryRun, asked, call);
    const { command: _, staged_removed: _staged, ...preview } = dry;
    if (preview.sources.length > SOURCES_AT_MOST) {
      throw new UserError('usage', `${preview.sources.length} sources have this name`, {
        hint: 'name one of them by its source_key',
      });
    }
    const isNothing = preview.sources.length + preview.already_forgotten === 0;
    if (dryRun || isNothing) return { success: true, ...preview, dry_run: dryRun };
    const waiting = { ...call, waitMs: call.left() * WAIT_SHARE };
    const agreed = { ...asked, preview: preview.preview };
    const { command: _c, ...forgotten } = await ask(call.service, forgetting.forget, agreed, waiting);
    return { success: true, dry_run: false, ...forgotten };
  },
});

const forgetFact = defineTool({
  name: 'mempalace_kg_forget',
  title: 'Erase a fact that was stored by mistake',
  description:
    'Reports what would be erased; with dry_run false it erases a fact permanently, in kept backups too, and no import restores it. For facts that were never true; end others with kg_invalidate. Ask the user first.',
  input: () =>
    z.strictObject({
      triple_id: field(z.string().check(z.minLength(1), z.maxLength(MOST_ID)), 'of a fact'),
      dry_run: flag(true, 'touch nothing'),
    }),
  writes: true,
  destructive: true,
  idempotent: true,
  logged: ['triple_id', 'dry_run'],
  async run({ triple_id: id, dry_run: dryRun }, call) {
    const args = ['facts', 'forget', ...(dryRun ? ['--dry-run'] : ['--yes']), '--', id];
    const { command: _, ...result } = forgottenFacts.parse(
      await call.host.program('mempalace', args, call.signal),
    );
    if (result.forgotten.length === 0)
      throw new UserError('not-found', `there is no fact ${id}`, {
        hint: 'kg_query shows facts with their ids',
      });
    return { success: true, ...result, dry_run: dryRun };
  },
});

const forgottenFacts = z.looseObject({ forgotten: z.array(fact) });

export const UPKEEP_TOOLS: readonly Tool[] = [forgetFact, mine, sync, verify, deleteBySource];

const verifiedDocument = z.looseObject({
  problems: z._default(z.array(z.looseObject({})), []),
  findings: z.array(z.looseObject({ status: z.string() })),
});

function verified(result: unknown): z.output<typeof verifiedDocument> {
  const { wings: _, findings, problems, ...rest } = verifiedDocument.parse(result);
  // A source that cannot be checked (an import, a text written here) is not a problem.
  const last = ({ status }: { status: string }) => (status === 'not_checked' ? 1 : 0);
  return {
    ...rest,
    problems: problems.slice(0, FINDINGS_SHOWN),
    findings: findings.sort((a, b) => last(a) - last(b)),
  };
}

/** @throws UserError `usage` for an unsupported value */
function refuseExtract(extract: string | undefined, transcripts: boolean): void {
  if (extract === undefined || (extract === 'exchange' && transcripts)) return;
  throw new UserError('usage', `extract ${JSON.stringify(extract)} is not supported here`, {
    hint: 'only transcripts take it, with the value exchange',
  });
}

const summaryDocument = z.looseObject({
  problems: z._default(z.array(z.looseObject({})), []),
  removals: z._default(z.array(z.string()), []),
});

function summary(result: unknown) {
  const { problems, removals, ...rest } = summaryDocument.parse(result);
  return {
    success: true,
    ...rest,
    problems: problems.slice(0, FINDINGS_SHOWN),
    removals: removals.slice(0, FINDINGS_SHOWN),
  };
}
