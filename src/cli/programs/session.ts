import { HARNESS_NAMES } from '../../feeders/transcripts/names.js';
import {
  choiceOption,
  createCommand,
  repeatable,
  withCommonOptions,
  withFilingOptions,
  withTimeLimit,
} from '../app/options.js';
import { perform } from '../app/runner.js';
import { DEFAULT_MIN_MESSAGES, type SessionFlags, sessionConfig } from '../commands/session/config.js';

const EXAMPLES = `
Examples:
  mempalace-session --dry-run         what would be filed, and why not the rest
  mempalace-session                   file all sessions; later on, the new ones
  mempalace-session --since --quiet   for a schedule: since the last run
  mempalace-session --from codex      the sessions of Codex`;

/** `mempalace-session`, declared and not yet run. */
export const program = withCommonOptions(
  withTimeLimit(
    withFilingOptions(
      createCommand('mempalace-session', "File opencode's sessions into the memory palace")
        .addOption(
          choiceOption('--from <harness>', 'whose sessions (default: opencode)', [
            'opencode',
            ...HARNESS_NAMES,
          ]),
        )
        .option(
          '--db <file>',
          'an opencode database or its folder (repeatable; default: where opencode keeps them)',
          repeatable,
        )
        .option(
          '--min-messages <n>',
          'pass over sessions with fewer messages of user and assistant',
          DEFAULT_MIN_MESSAGES,
        )
        .option(
          '--since [when]',
          'only sessions changed since: 2026-01-31, 3d, 2w, 6mo, "last friday"; without a value since the last complete run',
        )
        .option('--session <id>', 'only this session, however short (repeatable)', repeatable)
        .option('--directory <path>', 'only sessions of this project folder')
        .option('--no-subagents', 'pass over sessions that another session started')
        .option('--limit <n>', 'at most this many sessions, the newest first')
        .option(
          '--wing <name>',
          'the wing (default: the one that holds the session, else wing_conversations)',
        )
        .option('--stage-only', 'stage to the cache, file nothing')
        .option('--dry-run', 'list the sessions, touch nothing')
        .option('--repair', 'rebuild the search indexes from the rows afterwards; never on a schedule')
        .option('--no-backup', 'keep no backup of the palace before --repair'),
    ),
  )
    .addHelpText('after', EXAMPLES)
    .action((flags: SessionFlags) =>
      perform(flags, async (context) => {
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
