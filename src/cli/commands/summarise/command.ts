import { join } from 'node:path';
import { readTokenFile } from '../../../broker/tokens.js';
import { Chat } from '../../../chat/index.js';
import { messageOf } from '../../../core/errors.js';
import { parseDay } from '../../../core/moment.js';
import { ask } from '../../../operations/operation.js';
import { summaries } from '../../../operations/summaries.js';
import { takeLock } from '../../../platform/lock.js';
import { DRIFT } from '../../../service/contract/index.js';
import { plural } from '../../../terminal/durations.js';
import { line, type Terminal } from '../../../terminal/terminal.js';
import { EXIT } from '../../app/exit.js';
import { withService, withWriter } from '../../app/open-service.js';
import { countOption, createCommand, type FlagsOf, parsedOption } from '../../app/options.js';
import { action, type CommandContext, type ProgramContext } from '../../app/runner.js';
import { sanitiserFor } from '../../app/sanitiser.js';
import {
  type Asked,
  addressOf,
  digestTokens,
  estimatedTokens,
  makeSummaries,
  type Summarised,
  type Summarising,
} from './make.js';

const HELP = `
A model behind a chat endpoint (Ollama, LM Studio, llama.cpp, Kimi, OpenAI) is
given a digest of each session that has no summary, or has grown since. Its
answer is filed beside the session. Nothing is sent before summary.url and
summary.model are set, and at most summary.daily_budget tokens per day are used.
A search finds summaries only with --type summary.

Examples:
  mempalace summarise --dry-run              what would be sent, and how much
  mempalace summarise --since 7d
  mempalace search "rounding" --type summary`;

export const command = createCommand('summarise', 'Have a model of your choice summarise sessions')
  .option('--session <id>', 'only this session')
  .addOption(
    parsedOption('--since <when>', 'only sessions from this day on: 2026-03-01, 3d, 2w', (flag, text) =>
      parseDay(flag, text, new Date()),
    ),
  )
  .addOption(countOption('--limit <n>', 'sessions at most, newest first', 1).default(50))
  .option('--dry-run', 'list the sessions; send nothing')
  .addHelpText('after', HELP);
command.action(action(runSummarise));

const COMMAND = 'mempalace summarise';
/** Wait of a summary for a run that writes, milliseconds: it was paid for. */
const WRITE_MS = 120_000;

async function runSummarise(context: ProgramContext, flags: FlagsOf<typeof command>): Promise<number> {
  const { terminal } = context;
  const { session, since, limit, dryRun } = flags;
  const asked = { session, since, limit };
  if (dryRun === true) return preview(context, asked);
  const made = await summariseNow(context, asked, {
    lockMs: 0,
    onFiled: ({ summary_id, tokens }) =>
      terminal.say(`filed: ${line(summary_id)} (${plural(tokens, 'token')})`),
  });
  const { stopped, problems } = made;
  if (made.made.length === 0 && stopped !== undefined) throw stopped;
  const { dailyBudget, model } = context.config.summary;
  context.answer({
    ...{ dry_run: false, model, summaries: made.made },
    problems: problems.map(({ session, reason }) => ({ session, reason })),
    left: made.left,
    ...{ stopped: stopped?.message ?? null, spent_today: made.spent, daily_budget: dailyBudget },
  });
  report(made, context);
  return problems.length > 0 || stopped !== undefined ? EXIT.incomplete : EXIT.done;
}

/**
 * Summarises sessions with the model of the settings. One process per palace at a time, so that the budget holds.
 *
 * @throws UserError `config` without a model; `locked` while another process summarises; as `makeSummaries` does
 */
async function summariseNow(
  context: CommandContext,
  asked: Asked,
  { lockMs, onFiled }: { lockMs: number } & Pick<Summarising, 'onFiled'>,
): Promise<Summarised> {
  const { config, env, folders, signal } = context;
  const { summary } = config;
  const address = addressOf(summary, readTokenFile);
  const sanitiser = await sanitiserFor(true, context);
  return withWriter(context, { command: COMMAND, make: false }, async (service, call) => {
    // Without a palace it fails before the lock makes a folder.
    await service.ask(DRIFT, {}, call);
    const lock = await takeLock(join(folders.palace, 'summaries.lock'), COMMAND, lockMs, signal);
    const chat = new Chat(address, env);
    try {
      return await makeSummaries(asked, {
        ...{ service, chat, sanitiser, onFiled },
        call: { ...call, waitMs: WRITE_MS },
        model: address.model,
        digestTokens: digestTokens(summary.context),
        budget: summary.dailyBudget,
      });
    } finally {
      await chat.close();
      lock.release();
    }
  });
}

/** Wait for another process that summarises, milliseconds. */
const LOCK_MS = 600_000;

/**
 * Summarises sessions that ended. If the model does not answer, the sessions stay filed: the user gets a warning, and the
 * next `mempalace summarise` tries again.
 *
 * @param sessions keys of their sources
 */
export async function summariseEnded(
  sessions: readonly string[],
  context: CommandContext,
): Promise<{ filed: number; left: number; problem: string | null }> {
  const { terminal, signal } = context;
  let filed = 0;
  try {
    for (const session of new Set(sessions)) {
      const asked = { session, limit: 1 };
      const { made, stopped, problems } = await summariseNow(context, asked, { lockMs: LOCK_MS });
      filed += made.length;
      const problem = stopped?.message ?? problems[0]?.reason;
      if (problem !== undefined) throw new Error(problem);
    }
    return { filed, left: 0, problem: null };
  } catch (error) {
    signal.throwIfAborted();
    const problem = line(messageOf(error));
    terminal.warn(`sessions are filed without a summary: ${problem}`);
    return { filed, left: new Set(sessions).size - filed, problem };
  }
}

async function preview(context: ProgramContext, asked: Asked): Promise<number> {
  const { terminal, config } = context;
  const { context: most, dailyBudget } = config.summary;
  const { sessions, total, spent } = await withService(context, (service, call) =>
    ask(service, summaries.unsummarised, asked, call),
  );
  const tokens = estimatedTokens(sessions, digestTokens(most));
  const shown = sessions.map(({ source_key: session, title, day, grown }) => {
    return { session, title, day, grown };
  });
  context.answer({
    ...{ sessions: shown, left: total - sessions.length },
    ...{ estimated_tokens: tokens, spent_today: spent, daily_budget: dailyBudget },
  });
  for (const { session, title, day, grown } of shown)
    terminal.say(`${day}  ${line(session)}  ${line(title)}${grown ? ' (has grown)' : ''}`);
  const rest = total > sessions.length ? ` of ${total}` : '';
  terminal.say(
    `would summarise ${plural(sessions.length, 'session')}${rest}, at most about ${plural(tokens, 'token')}; ${budgetText(spent, dailyBudget)}`,
  );
  return EXIT.done;
}

function report(
  { made, problems, left, spent, stopped }: Summarised,
  { terminal, config }: CommandContext,
): void {
  for (const { session, reason, hint } of problems) complain(`${session}: ${reason}`, hint, terminal);
  if (stopped !== undefined && !problems.some(({ reason }) => reason === stopped.message))
    complain(stopped.message, stopped.hint, terminal);
  const rest = left === 0 ? '' : `, ${left} left`;
  terminal.say(
    `filed ${plural(made.length, 'summary', 'summaries')}${rest}; ${budgetText(spent, config.summary.dailyBudget)}`,
  );
}

function complain(reason: string, hint: string | undefined, terminal: Terminal): void {
  // What a server said belongs in no log.
  terminal.warn(line(hint === undefined ? reason : `${reason} (${hint})`), line(reason));
}

const budgetText = (spent: number, budget: number): string => `${spent} of ${budget} tokens used today`;
