import { resolve } from 'node:path';
import { coverageText } from '../../core/coverage.js';
import { UserError } from '../../core/errors.js';
import { textKey } from '../../embedding/index.js';
import { cleanFiled } from '../../maintenance/scrub/index.js';
import { exportedModel } from '../../maintenance/transfer/archive-lines.js';
import { importLines } from '../../maintenance/transfer/import.js';
import { formatModel, sameModel } from '../../store/index.js';
import { plural } from '../../terminal/durations.js';
import { line } from '../../terminal/terminal.js';
import { withRun } from '../app/filing.js';
import { createCommand, type FlagsOf, waitOption } from '../app/options.js';
import { palaceModel } from '../app/palace-model.js';
import { action, type ProgramContext } from '../app/runner.js';
import { announcedSanitiser } from '../app/sanitiser.js';
import { outcomeOf, printSummary, summarise } from '../app/summary.js';

const HELP = `
Existing sources are kept, unless the export has a newer version; forgotten
sources stay forgotten. Nothing is embedded: a palace with vectors must use the
same model. A source that contains secrets is held back.

Examples:
  mempalace import palace.jsonl                     into the palace
  mempalace import palace.jsonl --palace ~/other    into another palace`;

export const command = createCommand('import', 'Import a file made by mempalace export --jsonl')
  .argument('<file>', 'the export')
  .option('--no-redact', 'also import sources with secrets (search will find them)')
  .addOption(waitOption())
  .addHelpText('after', HELP);
command.action(action(runImport, { here: true }));

async function runImport(
  context: ProgramContext,
  { redact, wait: waitMs }: FlagsOf<typeof command>,
  name: string,
): Promise<number> {
  const { terminal, signal, command } = context;
  const file = resolve(name);
  const model = await exportedModel(file);
  const stored = await palaceModel(context.folders.palace);
  if (stored !== undefined && !sameModel(stored, model)) {
    throw new UserError(
      'failed',
      `the palace uses the model ${line(formatModel(stored))}, but the export uses ${line(formatModel(model))}`,
      {
        hint: `import it into a new palace (--palace), run mempalace reembed --model ${line(stored.id)} on that palace, and export it again; or run mempalace reembed --model ${line(model.id)} on this one`,
      },
    );
  }
  const { cleanPath } = await import('../../sanitiser/index.js');
  const sanitiser = await announcedSanitiser(redact, context);
  const startedAt = performance.now();
  const scope = JSON.stringify({ file: await cleanPath(file, sanitiser) });
  return withRun(
    { command, scope, waitMs, model: async () => stored ?? model },
    context,
    async ({ palace, run }) => {
      const { tombstones, facts, factsErased, collections, tasks, ...imported } = await terminal.during(
        'import',
        ({ update }) =>
          importLines({
            palace,
            file,
            model,
            run,
            keyOf: textKey,
            findSecrets: async (text, whole) =>
              (whole === undefined
                ? await sanitiser.clean(text)
                : await cleanFiled(whole.kind, text, sanitiser, whole.turns)
              ).redacted,
            signal,
            onProgress: (sources) => update(sources, sources, 'sources'),
          }),
      );
      const mined = {
        ...imported,
        ...{ moved: 0, removed: 0, embedded: 0, left: 0, pending: 0 },
        ...{ removals: [], lost: [], redacted: {} },
      };
      const coverage = palace.vectors.coverage();
      const summary = {
        ...summarise(command, [], mined, startedAt),
        pending: coverage.pending,
        tombstones,
        facts,
        facts_erased: factsErased,
        collections,
        tasks,
      };
      if (tombstones > 0) terminal.say(`${plural(tombstones, 'source')} forgotten there, and now also here`);
      if (factsErased > 0)
        terminal.say(`${plural(factsErased, 'fact')} forgotten there, and now erased here`);
      if (collections > 0) terminal.say(plural(collections, 'new collection'));
      if (tasks > 0) terminal.say(plural(tasks, 'new task'));
      if (facts > 0) terminal.say(`${plural(facts, 'fact')} new or ended`);
      printSummary(terminal, summary, mined.problems);
      if (coverage.pending > 0) terminal.note(`what is filed is found ${coverageText(coverage)}`);
      terminal.json(summary);
      return outcomeOf(summary);
    },
  );
}
