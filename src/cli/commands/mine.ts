import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Batch, MANIFEST_NAME } from '../../core/contract.js';
import { UserError } from '../../core/errors.js';
import { containsTranscripts } from '../../feeders/transcripts/contains.js';
import { planBatch, withoutTwins } from '../../miner/plan.js';
import { planRemovals } from '../../miner/removals.js';
import { containsManifest, stagedBatches } from '../../miner/staged.js';
import type { Palace } from '../../store/index.js';
import { line } from '../../terminal/terminal.js';
import { feed, type Preview } from '../app/feed.js';
import {
  choiceOption,
  countOption,
  createCommand,
  exclusiveFlag,
  type FlagsOf,
  repeatable,
  sizeOption,
  wingOption,
  withFilingOptions,
  withTimeLimit,
} from '../app/options.js';
import { action, type CommandContext } from '../app/runner.js';
import { sanitiserFor, shownPath } from '../app/sanitiser.js';
import { feedDocs, isAdHoc } from './docs/run.js';
import { feedTranscripts } from './session/transcripts.js';

const EXAMPLES = `
Examples:
  mempalace mine ~/my-project                       the documents of a project
  mempalace mine ~/.claude/projects --mode convos   transcripts
  mempalace mine ~/Downloads/export --mode convos   exported conversations
  mempalace mine ~/.cache/mempalace-docs            the result of --stage-only
  mempalace mine ./from-container --staged          a folder staged elsewhere`;

export const command = withTimeLimit(
  withFilingOptions(
    createCommand('mine', 'File a folder: a project, transcripts, or a staging folder')
      .argument('<dir>', 'a project, a folder or a file of transcripts (--mode convos), or a staging folder')
      .addOption(
        choiceOption('--mode <mode>', 'kind of folder; recognized if omitted', [
          'docs',
          'projects',
          'convos',
        ]),
      )
      .addOption(wingOption('the wing'))
      .option('--room <name>', 'the room of transcripts (--mode convos)')
      .addOption(
        exclusiveFlag(
          '--staged',
          'the folder was staged elsewhere, such as in a container: trust its manifest; its text is redacted again',
          'mode',
          'wing',
          'room',
        ),
      )
      .addOption(countOption('--limit <n>', 'file at most this many new or changed sources', 1))
      .option('--include <pattern>', 'also file these, in .gitignore syntax (repeatable)', repeatable)
      .option('--exclude <pattern>', 'omit these (repeatable)', repeatable)
      .option('--no-gitignore', "disregard git's ignore rules")
      .addOption(sizeOption('--max-file-size <size>', 'omit larger files'))
      .option('--allow-removals', 'remove missing documents, even if they are most of the project')
      .option('--dry-run', 'show the result without any change'),
  ),
).addHelpText('after', EXAMPLES);
type MineFlags = FlagsOf<typeof command>;
command.action(action(runMine));

const COMMAND = 'mempalace mine';

/**
 * `mempalace mine <dir>`. A folder of the staging cache, or one with `--staged`, is filed as it was staged. Otherwise
 * `--mode docs` and `projects` do the same as `mempalace-docs`, and `convos` files transcripts. Without a mode, the
 * folder's content decides. Returns the exit code.
 */
async function runMine(context: CommandContext, flags: MineFlags, dir: string): Promise<number> {
  const { mode } = flags;
  if (requireFolder(dir, mode === 'convos') === 'file')
    return mineTranscripts(dir, flags, context, [resolve(dir)]);
  const batches = mode === undefined || mode === 'convos' ? await staged(dir, flags, context) : [];
  if (batches.length > 0) return fileStaged(batches, dir, flags, context);
  if (flags.staged === true) {
    throw new UserError('not-found', `nothing is staged in ${JSON.stringify(dir)}`, {
      hint: `name the folder that contains ${MANIFEST_NAME}, or one above it`,
    });
  }
  if (mode === undefined && (await containsManifest(dir))) {
    context.terminal.warn(
      `a staging manifest in ${line(dir)} is not trusted, since it is not in your cache; if you staged the folder yourself, file it with --staged`,
    );
  }
  if (mode === 'convos' || (mode === undefined && (await containsTranscripts(resolve(dir)))))
    return mineTranscripts(dir, flags, context);
  if (flags.room !== undefined) {
    throw new UserError('usage', '--room is for --mode convos', {
      hint: 'the rooms of documents come from mempalace.yaml and the folders',
    });
  }
  // Transcripts and staged sources disregard the options that select documents.
  if (flags.allowRemovals === true && isAdHoc(flags)) {
    throw new UserError('usage', '--allow-removals needs a complete run', {
      hint: 'omit --include, --exclude, --no-gitignore and --max-file-size',
    });
  }
  return (await feedDocs(dir, flags, context)).exitCode;
}

async function staged(dir: string, flags: MineFlags, context: CommandContext): Promise<Batch[]> {
  return stagedBatches(resolve(dir), {
    cache: context.folders.cache,
    named: flags.staged === true,
    allowRemovals: flags.allowRemovals === true,
    sanitiser: () => sanitiserFor(flags.redact, context),
  });
}

/** @param files if given, only these of the folder */
async function mineTranscripts(
  dir: string,
  flags: MineFlags,
  context: CommandContext,
  files?: readonly string[],
): Promise<number> {
  const fed = await feedTranscripts(
    () => ({
      places: [{ folder: resolve(dir) }],
      ...(files === undefined ? {} : { files }),
      minMessages: 0,
      wing: flags.wing,
      room: flags.room,
      required: true,
    }),
    await runOf(dir, { ...flags, allowRemovals: false }, context),
    context,
  );
  return fed.exitCode;
}

async function runOf(dir: string, flags: MineFlags, context: CommandContext) {
  const shown = await shownPath(resolve(dir), flags.redact, context);
  const narrowed = flags.limit !== undefined;
  return { command: COMMAND, scope: JSON.stringify({ dir: shown }), narrowed, flags };
}

async function fileStaged(
  batches: Batch[],
  dir: string,
  flags: MineFlags,
  context: CommandContext,
): Promise<number> {
  const { force = false, allowRemovals = false, redact } = flags;
  const fed = await feed<Batch[]>(
    {
      unit: 'sources',
      survey: async () => batches,
      stage: async () => batches,
      preview: async (_, palace) => previewBatches(batches, palace, force, allowRemovals),
    },
    { ...(await runOf(dir, flags, context)), sanitiser: await sanitiserFor(redact, context) },
    context,
  );
  return fed.exitCode;
}

export function previewBatches(
  given: readonly Batch[],
  palace: Palace | undefined,
  force: boolean,
  allowRemovals: boolean,
): Preview {
  const { batches, twins } = withoutTwins(given);
  const plans = batches.map((batch) => planBatch(batch, palace, force));
  const removals =
    palace === undefined ? [] : batches.map((batch) => planRemovals(batch, palace, allowRemovals));
  const toFile = plans.flatMap((plan) => plan.toFile);
  const sources = toFile.map(({ source, filed }) => ({
    source_file: source.sourceFile,
    status: filed === undefined ? 'new' : 'changed',
  }));
  const unchanged = plans.flatMap((plan) => Array<string>(plan.unchanged).fill('unchanged'));
  return {
    facts: { sources },
    statuses: [...sources.map(({ status }) => status), ...unchanged],
    removed: removals.reduce((sum, each) => sum + each.sources.length, 0),
    skipped: [
      ...batches.flatMap((batch) => batch.skipped),
      ...twins,
      ...plans.flatMap((plan) => plan.forgotten),
      ...removals.flatMap(({ heldBack }) => heldBack ?? []),
    ],
    lines: sources.map(({ source_file, status }) => `would file ${status.padEnd(8)} ${line(source_file)}`),
  };
}

/** @param orFile whether a file will do */
function requireFolder(dir: string, orFile: boolean): 'folder' | 'file' {
  const stat = statSync(dir, { throwIfNoEntry: false });
  if (stat === undefined) throw new UserError('not-found', `there is no folder ${JSON.stringify(dir)}`);
  if (stat.isDirectory()) return 'folder';
  if (orFile && stat.isFile()) return 'file';
  throw new UserError('usage', `${JSON.stringify(dir)} is not a folder`, {
    hint: 'a file of conversations is filed with --mode convos',
  });
}
