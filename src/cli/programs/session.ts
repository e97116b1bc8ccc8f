import { HARNESS_NAMES } from '../../feeders/transcripts/harness.js';
import {
  choiceOption,
  createCommand,
  repeatable,
  withCommonOptions,
  withFilingOptions,
  withTimeLimit,
} from '../app/options.js';
import { lazily } from '../app/runner.js';
import { DEFAULT_MIN_MESSAGES, type SessionFlags, sessionConfig } from '../commands/session/config.js';

const EXAMPLES = `
Examples:
  mempalace-session --dry-run         what would be filed or skipped, and why
  mempalace-session                   file all sessions; later, only new ones
  mempalace-session --since --quiet   since the last run, on a schedule
  mempalace-session --from codex      the sessions of Codex`;

/** The declaration of `mempalace-session`. */
export const program = withCommonOptions(
  withTimeLimit(
    withFilingOptions(
      createCommand('mempalace-session', "File opencode's sessions into the memory palace")
        .addOption(
          choiceOption('--from <harness>', 'the program that made the sessions (default: opencode)', [
            'opencode',
            ...HARNESS_NAMES,
          ]),
        )
        .option(
          '--db <file>',
          "an opencode database or its folder (repeatable; default: opencode's own folder)",
          repeatable,
        )
        .option(
          '--min-messages <n>',
          'skip sessions with fewer messages of user and assistant',
          DEFAULT_MIN_MESSAGES,
        )
        .option(
          '--since [when]',
          'only sessions changed since 2026-01-31, 3d, 2w, 6mo, "last friday"; without a value, since the last complete run',
        )
        .option('--session <id>', 'only this session, however short (repeatable)', repeatable)
        .option('--directory <path>', 'only sessions of this project folder')
        .option('--no-subagents', 'skip sessions that another session started')
        .option('--limit <n>', 'at most this many sessions, newest first')
        .option(
          '--wing <name>',
          'the wing (default: the current wing of the session, else wing_conversations)',
        )
        .option('--stage-only', 'stage to the cache; file nothing')
        .option('--dry-run', 'list the sessions; change nothing')
        .option('--repair', 'then rebuild the search indexes from the rows; not for a schedule')
        .option('--no-backup', 'with --repair: keep no backup of the palace'),
    ),
  )
    .addHelpText('after', EXAMPLES)
    .action(
      lazily(async () => async (context, flags: SessionFlags) => {
        const config = sessionConfig(flags);
        if (flags.from !== undefined && flags.from !== 'opencode') {
          const { runSessionFrom } = await import('../commands/session/from.js');
          return runSessionFrom(flags.from, config, context);
        }
        const { runSession } = await import('../commands/session/run.js');
        return runSession(config, context);
      }),
    ),
);
