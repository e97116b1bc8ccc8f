import { type EmbeddingModel, findModel, requireModel, startEmbedder } from '../../embedding/index.js';
import { reembed, speedOf } from '../../maintenance/rebuild/reembed.js';
import { keepBackup, type ModelIdentity, Palace, sameModel } from '../../store/index.js';
import { formatSeconds, plural, secondsSince } from '../../terminal/durations.js';
import { line } from '../../terminal/terminal.js';
import { EXIT } from '../app/exit.js';
import { withRun } from '../app/filing.js';
import { createCommand, type FlagsOf, waitOption } from '../app/options.js';
import { configuredModel, isSameId, withEmbedder } from '../app/palace-model.js';
import { action, type CommandContext, type ProgramContext } from '../app/runner.js';

const HELP = `
Searches use the old vectors until all new vectors are ready. Stopping or
killing a run loses nothing: the next one continues, including texts that were
filed in between. Sources are not read again.

Examples:
  mempalace reembed --dry-run                       estimate the time
  mempalace reembed --model multilingual-e5-small   change the model`;

export const command = createCommand('reembed', 'Rebuild the vectors of the palace with another model')
  .option('--model <id>', "the model (default: the configured one, else the palace's)")
  .option('--force', 'rebuild all vectors, even if they are from this model')
  .option('--no-backup', 'keep no backup of the palace')
  .option('--dry-run', 'show the number of texts and the estimated time; change nothing')
  .addOption(waitOption())
  .addHelpText('after', HELP);
command.action(action(runReembed, { here: true }));

async function runReembed(
  context: ProgramContext,
  { model: named, force = false, dryRun, backup, wait: waitMs }: FlagsOf<typeof command>,
): Promise<number | undefined> {
  const { command } = context;
  const { palace: folder } = context.folders;
  const before = Palace.look(folder, ({ model, reembedding }) => {
    return { model, unfinished: reembedding.unfinished, texts: reembedding.counts().texts };
  });
  const wanted = named ?? configuredModel(context.config) ?? before.model.id;
  await requireModel(wanted, context.env);
  const model = await findModel(wanted, context.env);
  const startedAt = performance.now();
  if (dryRun === true) return preview(folder, model, force, context);
  if (sameModel(before.model, model) && !before.unfinished && !force) {
    return report({ model, previous: before.model, texts: before.texts, startedAt }, context);
  }
  const scope = JSON.stringify({ model: model.id });
  const choices = { command, scope, narrowed: false, waitMs };
  return withRun(choices, context, async ({ palace, run }) => {
    const previous = palace.model;
    const { next } = palace.reembedding;
    const pending = next !== undefined && sameModel(next, model);
    if (sameModel(previous, model) && !pending && !force) {
      // Discard the unfinished change to another model.
      palace.reembedding.abandon();
      palace.tidy();
      const { texts } = palace.reembedding.counts();
      report({ model, previous, texts, startedAt }, context);
      return { exitCode: EXIT.done, counts: { model: model.id, texts, embedded: 0 }, skipped: [] };
    }
    // A continued run already has the backup of the first one.
    if (backup && !pending) keepBackup(folder, 'reembed', { run: { id: run.id } });
    const done = await embedAll(palace, model, context);
    report({ model, previous, ...done, startedAt }, context);
    const counts = { model: model.id, previous: previous.id, ...done };
    return { exitCode: EXIT.done, counts, skipped: [] };
  });
}

function embedAll(palace: Palace, model: EmbeddingModel, context: CommandContext) {
  const { terminal, signal } = context;
  const started = performance.now();
  let first: number | undefined;
  return withEmbedder(
    'embedding',
    () => model,
    context,
    (embedder, bar) =>
      reembed({
        palace,
        model,
        embedder,
        signal,
        onProgress(done, total) {
          if (first === undefined && done > 0)
            terminal.say(`continuing: an earlier run embedded ${done} of ${plural(total, 'text')}`);
          first ??= done;
          const rate = (done - first) / ((performance.now() - started) / 1000);
          const left = rate > 0 ? `, ${formatSeconds((total - done) / rate)} left` : '';
          bar.update(done, total, `texts, ${Math.round(rate)}/s${left}`);
        },
      }),
  );
}

/** Measures a local model on some texts of the palace. No text is sent to a server, so its time is unknown. */
async function preview(
  folder: string,
  model: EmbeddingModel,
  force: boolean,
  { terminal, env, answer }: ProgramContext,
): Promise<undefined> {
  const palace = Palace.read(folder);
  try {
    const { next } = palace.reembedding;
    const { texts, gathered } = palace.reembedding.counts();
    const resumed = next !== undefined && sameModel(next, model) ? gathered : 0;
    const unwanted = sameModel(palace.model, model) && !force && resumed === 0;
    const toEmbed = unwanted ? 0 : texts - resumed;
    const speed =
      toEmbed === 0 || model.reach !== 'process' ? undefined : await speedHere(palace, model, env);
    const seconds = toEmbed === 0 ? 0 : speed === undefined ? null : Math.round((toEmbed / speed) * 10) / 10;
    answer({
      model: identityOf(model),
      previous: identityOf(palace.model),
      texts,
      resumed,
      to_embed: toEmbed,
      embedded: 0,
      switched: false,
      seconds_estimated: seconds,
    });
    const from = resumed === 0 ? '' : ` (${resumed} are done already)`;
    const time = seconds === null ? 'the time depends on the server' : `about ${formatSeconds(seconds)}`;
    terminal.say(`would embed ${plural(toEmbed, 'text')} with ${line(model.id)}${from}: ${time}`);
  } finally {
    palace.close();
  }
}

async function speedHere(
  palace: Palace,
  model: EmbeddingModel,
  env: NodeJS.ProcessEnv,
): Promise<number | undefined> {
  const embedder = await startEmbedder({ modelId: model.id, env });
  try {
    return await speedOf(embedder, palace);
  } finally {
    await embedder.close();
  }
}

interface Outcome {
  model: EmbeddingModel;
  previous: ModelIdentity;
  texts: number;
  /** Absent if there was nothing to do. */
  embedded?: number;
  resumed?: number;
  startedAt: number;
}

function report(
  { model, previous, texts, embedded, resumed = 0, startedAt }: Outcome,
  { terminal, config, answer }: ProgramContext,
): undefined {
  const seconds = secondsSince(startedAt);
  answer({
    model: identityOf(model),
    previous: identityOf(previous),
    texts,
    resumed,
    embedded: embedded ?? 0,
    switched: !sameModel(previous, model),
    seconds,
  });
  const id = line(model.id);
  if (embedded === undefined) {
    terminal.say(`nothing to do: the palace already uses the model ${id} (${plural(texts, 'text')})`);
  } else {
    const from = resumed === 0 ? '' : `, ${resumed} of them by an earlier run`;
    const what = sameModel(previous, model) ? 'rebuilt' : `instead of ${line(previous.id)}`;
    terminal.say(
      `the palace now uses the model ${id}, ${what}: ${plural(texts, 'text')}${from} (${formatSeconds(seconds)})`,
    );
  }
  const configured = configuredModel(config);
  if (configured !== undefined && !isSameId(model.id, configured)) {
    terminal.note(`the configuration names ${line(configured)}; mempalace model use ${id} changes it`);
  }
}

function identityOf({ id, revision, dimension }: ModelIdentity): ModelIdentity {
  return { id, revision, dimension };
}
