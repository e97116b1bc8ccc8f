import { parseMoment } from '../../core/moment.js';
import { HARNESS_NAMES } from '../../feeders/transcripts/harness.js';
import { choicesOption } from '../app/choices.js';
import {
  countOption,
  createCommand,
  exclusiveFlag,
  type FlagsOf,
  minMessagesOption,
  parsedOption,
  repeatable,
  wingOption,
  withCommonOptions,
  withFilingOptions,
  withTimeLimit,
} from '../app/options.js';
import { action, type ProgramContext } from '../app/runner.js';

const examples = (name: string) => `
Examples:
  ${name} --dry-run         what would be filed or skipped, and why
  ${name}                   file all sessions; later, only new ones
  ${name} --since --quiet   since the last run, on a schedule
  ${name} --from codex      only the sessions of Codex

Only for sessions of opencode, and then no other agent is read: --db, --session,
--directory, --no-subagents, --repair.`;

const declared = (name: string, typed: string) =>
  withTimeLimit(
    withFilingOptions(
      createCommand(name, "File the sessions of this machine's agents into the memory palace")
        .addOption(
          choicesOption(
            '--from <agent>',
            'only sessions of this agent (repeatable; default: every agent that has some here)',
            ['opencode', ...HARNESS_NAMES],
          ),
        )
        .option(
          '--db <file>',
          "an opencode database or its folder (repeatable; default: opencode's own folder)",
          repeatable,
        )
        .addOption(minMessagesOption('skip sessions with fewer messages of user and assistant'))
        .addOption(
          parsedOption(
            '--since [when]',
            'only sessions changed since 2026-01-31, 3d, 2w, 6mo, "last friday"; without a value, since the last complete run',
            (flag, text) => parseMoment(flag, text, new Date()),
          ),
        )
        .option('--session <id>', 'only this session, however short (repeatable)', repeatable)
        .option('--directory <path>', 'only sessions of this project folder')
        .option('--no-subagents', 'skip sessions that another session started')
        .addOption(countOption('--limit <n>', 'at most this many sessions of each agent, newest first', 1))
        .addOption(wingOption('the wing (default: the current wing of the session, else wing_conversations)'))
        .addOption(exclusiveFlag('--stage-only', 'stage to the cache; file nothing', 'dryRun'))
        .option('--dry-run', 'list the sessions; change nothing')
        .addOption(
          exclusiveFlag(
            '--repair',
            'then rebuild the search indexes from the rows; not for a schedule',
            'dryRun',
            'stageOnly',
          ),
        )
        .option('--no-backup', 'with --repair: keep no backup of the palace'),
    ),
  ).addHelpText('after', examples(typed));
export type SessionFlags = FlagsOf<ReturnType<typeof declared>>;

/** @param typed how the user names it */
const sessionCommand = (name: string, typed = name) =>
  declared(name, typed).action(
    action(async (context: ProgramContext, flags: SessionFlags) => {
      return (await import('../commands/session/agents.js')).runSessions(flags, context);
    }),
  );

export const sessionProgram = () => withCommonOptions(sessionCommand('mempalace-session'));
/** The same as a command of `mempalace`. */
export const sessions = () => sessionCommand('sessions', 'mempalace sessions');
