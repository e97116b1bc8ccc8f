import { resolve } from 'node:path';
import type { Batch } from '../../core/contract.js';
import { isOfKind, KEY_KIND } from '../../core/source-key.js';
import { stageChroma, wouldBeBatch } from '../../feeders/mempalace/stage.js';
import { surveyChroma } from '../../feeders/mempalace/survey.js';
import { cleanPath } from '../../sanitiser/index.js';
import { plural } from '../../terminal/durations.js';
import { line } from '../../terminal/terminal.js';
import { feed } from '../app/feed.js';
import type { Known } from '../app/known.js';
import { createCommand, type FlagsOf, withFilingOptions } from '../app/options.js';
import { action, type ProgramContext } from '../app/runner.js';
import { sanitiserFor } from '../app/sanitiser.js';
import { previewBatches } from './mine.js';

const HELP = `
Reads chroma.sqlite3 of a MemPalace palace without changing it. The drawers of a
file, a session or an entry become one source, with its wing, room and date. All
texts are redacted and embedded again. mempalace show also finds drawers by
their old ids. Registry sentinels and closets are omitted, as are texts that a
feeder filed here from their own file. A second import adds nothing. Try it with
--dry-run first.

Examples:
  mempalace import-chroma ~/old/palace --dry-run   what would be imported
  mempalace import-chroma ~/old/palace             import it`;

export const command = withFilingOptions(
  createCommand('import-chroma', 'Import a palace of MemPalace (Python)')
    .argument('<palace>', 'its folder, or the file chroma.sqlite3')
    .option('--collection <name>', 'collection of its drawers, if not mempalace_drawers')
    .option('--dry-run', 'show the result without any change'),
).addHelpText('after', HELP);
command.action(action(runImportChroma, { here: true }));

async function runImportChroma(
  context: ProgramContext,
  flags: FlagsOf<typeof command>,
  given: string,
): Promise<number> {
  const { terminal } = context;
  const sanitiser = await sanitiserFor(flags.redact, context);
  const survey = surveyChroma(resolve(given), flags.collection);
  const { file, collection, drawers, groups, dropped, problems } = survey;
  const facts = { from: file, collection, drawers_read: drawers, dropped };
  const known = (palace: Known | undefined) => ({
    forgotten: palace?.forgetting.names() ?? new Set<string>(),
    filedFrom: filedByOrigin(palace),
  });
  const withProblems = (batches: Batch[]) =>
    problems.length === 0 ? batches : [...batches, { sources: [], skipped: problems }];
  try {
    const fed = await feed<ReturnType<typeof known>>(
      {
        unit: 'sources',
        survey: async (palace) => known(palace),
        async stage(filed, options) {
          return withProblems(await stageChroma(survey, { ...filed, ...options }));
        },
        async preview(filed, palace, staging) {
          const batches = withProblems([await wouldBeBatch(survey, { ...filed, ...staging })]);
          const preview = previewBatches(batches, palace, staging.force, false);
          return { ...preview, facts: { ...preview.facts, ...facts } };
        },
        facts: () => facts,
        report() {
          terminal.say(`${line(file)}: ${plural(drawers, 'drawer')} of ${plural(groups.length, 'source')}`);
          for (const [what, count] of Object.entries(dropped)) terminal.say(`omitted ${count}: ${what}`);
        },
      },
      {
        command: context.command,
        scope: JSON.stringify({ file: await cleanPath(file, sanitiser) }),
        narrowed: true,
        flags,
      },
      context,
    );
    return fed.exitCode;
  } finally {
    survey.close();
  }
}

/** Sources that a feeder filed by their origin. They are better than an import of the same file. */
function filedByOrigin(palace: Known | undefined): (origin: string) => string | undefined {
  const keys = new Map<string, string>();
  for (const kind of ['document', 'conversation'] as const)
    for (const { origin, sourceKey } of palace?.sources.ofKind(kind).values() ?? [])
      if (!isOfKind(sourceKey, KEY_KIND.imported)) keys.set(origin, sourceKey);
  return (origin) => keys.get(origin);
}
