import { writeSetting } from '../../config/change.js';
import { loadConfig } from '../../config/index.js';
import { UserError } from '../../core/errors.js';
import {
  type EmbeddingModel,
  isEndpoint,
  type LocalModel,
  loadEmbedder,
  localModel,
  modelById,
  modelFolder,
  modelsFolder,
  verifyModel,
} from '../../embedding/index.js';
import { type KnownModel, knownModels, pullModel } from '../../embedding/models/pull.js';
import { type ModelIdentity, sameModel } from '../../store/index.js';
import { formatBytes, formatSeconds, plural } from '../../terminal/durations.js';
import { line } from '../../terminal/terminal.js';
import { type CommonFlags, createCommand } from '../app/options.js';
import { isSameId, palaceModel, remoteModelWarning } from '../app/palace-model.js';
import { action, type CommandContext } from '../app/runner.js';

const HELP = `
Without a command, model lists the models. An OpenAI-compatible server can also
be used as a model: its URL, # and the name of the model on that server, as in
http://127.0.0.1:11434/v1#nomic-embed-text. Text that is filed or searched is
then sent to that server.

Examples:
  mempalace model list                         all models
  mempalace model pull multilingual-e5-small   download a model`;

export const command = createCommand('model', 'List, download and choose embedding models')
  .addCommand(
    createCommand('list', 'List all models with dimension, size, purpose and state').action(
      action(listModels),
    ),
    { isDefault: true },
  )
  .addCommand(
    createCommand('pull', 'Download a model from the Hugging Face hub, or copy it from a folder')
      .argument('<id>', 'the model')
      .option('--from <folder>', 'copy the files from this folder instead')
      .action(action(pull)),
  )
  .addCommand(
    createCommand('verify', 'Check the files of a model, load it and embed a sentence')
      .argument('[id]', 'the model (default: every downloaded model)')
      .action(action(verify)),
  )
  .addCommand(
    createCommand('path', 'Print the folder of a model')
      .argument('[id]', 'the model (default: the configured one)')
      .action(action(printFolder)),
  )
  .addCommand(
    createCommand('use', 'Write a model into the configuration file')
      .argument('<id>', 'the model')
      .action(action(useModel)),
  )
  .addHelpText('after', HELP);

const SENTENCE = 'The palace remembers where the passage was filed.';

function withFiles(id: string): LocalModel {
  if (!isEndpoint(id)) return localModel(id);
  throw new UserError('usage', `${id} is a server and has no local files`);
}

async function listModels({ terminal, env, config }: CommandContext): Promise<void> {
  const known = await knownModels(env);
  const inPalace = await palaceModel(config.palace);
  const models = [
    ...known.map((entry) => ({ ...describe(entry), ...marks(entry.model.id) })),
    ...[...new Set([config.model, inPalace?.id])]
      .filter((id): id is string => id !== undefined && isEndpoint(id))
      .map((id) => ({ ...describeEndpoint(id, inPalace), ...marks(id) })),
  ];
  const configured = { id: config.model, origin: config.origins.get('model') ?? 'default' };
  terminal.json({ folder: modelsFolder(env), configured, palace: inPalace ?? null, models });
  for (const model of models) {
    const size = model.bytes === null ? '' : formatBytes(model.bytes);
    const dimension = model.dimension === null ? '' : `${model.dimension}-d`;
    const used = [model.configured ? 'configured' : '', model.in_palace ? 'in the palace' : ''];
    const state = model.here ? '' : terminal.style('yellow', 'not pulled');
    terminal.data(
      [
        terminal.style('bold', line(model.id).padEnd(22)),
        dimension.padStart(6),
        size.padStart(9),
        [state, terminal.style('green', used.filter(Boolean).join(', '))].filter(Boolean).join('  '),
      ]
        .join(' ')
        .trimEnd(),
    );
    terminal.data(`    ${line(model.purpose)}`);
    if (model.here && model.folder !== null)
      terminal.data(terminal.style('dim', `    ${line(model.folder)}`));
  }

  function marks(id: string): { configured: boolean; in_palace: boolean } {
    return { configured: sameId(config.model, id), in_palace: sameId(inPalace?.id, id) };
  }
}

function describe({ model, folder, here, bytes }: KnownModel) {
  const { id, revision, dimension, licence, purpose, repository } = model;
  const files = { folder, here, bytes };
  return { id, revision, dimension, licence, purpose, repository, ...files, ...whereTextGoes(model) };
}

function describeEndpoint(id: string, inPalace: ModelIdentity | undefined) {
  const dimension = sameId(inPalace?.id, id) ? inPalace?.dimension : undefined;
  const model = modelById(id, dimension ?? 0);
  return {
    id: model.id,
    revision: model.revision,
    dimension: dimension ?? null,
    licence: null,
    purpose: remoteModelWarning(model) ?? '',
    repository: null,
    folder: null,
    here: true,
    bytes: null,
    ...whereTextGoes(model),
  };
}

export async function pull(
  context: CommandContext,
  { from }: CommonFlags & { from?: string },
  id: string,
): Promise<void> {
  const model = withFiles(id);
  const { terminal, env, signal } = context;
  const total = model.files.reduce((sum, file) => sum + file.bytes, 0);
  const done = new Map<string, number>();
  const megabytes = (bytes: number): number => Math.round(bytes / 1e6);
  const { folder, fetched, bytes } = await terminal.during('pulling', ({ update }) =>
    pullModel(model, {
      env,
      from,
      signal,
      onProgress(file, bytes) {
        done.set(file, bytes);
        const sum = [...done.values()].reduce((all, part) => all + part, 0);
        update(megabytes(sum), Math.max(1, megabytes(total)), `MB, ${file}`);
      },
    }),
  );
  terminal.json({ id: model.id, revision: model.revision, folder, fetched, bytes });
  const what = fetched.length === 0 ? 'is here and intact' : `pulled (${formatBytes(bytes)})`;
  terminal.say(`${model.id} ${what}: ${line(folder)}`);
  if (context.config.model !== model.id) terminal.say(`mempalace model use ${model.id} selects it`);
}

export async function verify(
  { terminal, env }: CommandContext,
  _: CommonFlags,
  id: string | undefined,
): Promise<void> {
  const here = (await knownModels(env)).filter((entry) => entry.here).map(({ model }) => model.id);
  const models = [];
  for (const each of id === undefined ? here : [id]) {
    const started = performance.now();
    const model = isEndpoint(each) ? undefined : localModel(each);
    const files = model === undefined ? [] : await verifyModel(model, modelFolder(model, env));
    const embedder = await loadEmbedder({ modelId: each, env });
    try {
      await embedder.embed([SENTENCE]);
    } finally {
      await embedder.close();
    }
    const seconds = (performance.now() - started) / 1000;
    const { dimension, revision } = embedder.model;
    models.push({ id: embedder.model.id, revision, dimension, files, seconds });
    const hashed = files.length === 0 ? 'answers' : `${plural(files.length, 'file')} intact`;
    terminal.say(`${line(each)}: ${hashed}, ${dimension} dimensions (${formatSeconds(seconds)})`);
  }
  terminal.json({ models });
}

async function printFolder(
  { terminal, env, config }: CommandContext,
  _: CommonFlags,
  id: string | undefined,
): Promise<void> {
  const model = withFiles(id ?? config.model);
  const folder = modelFolder(model, env);
  const here = (await knownModels(env)).some((entry) => entry.here && entry.model.id === model.id);
  terminal.json({ id: model.id, folder, here });
  terminal.data(line(folder));
  if (!here && !terminal.options.json) terminal.note(`not pulled yet: mempalace model pull ${model.id}`);
}

async function useModel(
  { terminal, env, config, folders }: CommandContext,
  _: CommonFlags,
  id: string,
): Promise<void> {
  const model = modelById(id, 0);
  const entry = (await knownModels(env)).find((known) => known.model.id === model.id);
  if (entry !== undefined && !entry.here) {
    throw new UserError('not-found', `the model ${model.id} is not pulled; the configuration is unchanged`, {
      hint: `mempalace model pull ${model.id}`,
    });
  }
  const { file } = await writeSetting({ env, folders }, 'model', model.id);
  const effective = await loadConfig({ env, folders });
  const stored = await palaceModel(config.palace);
  const switches = stored !== undefined && !sameModel(stored, model);
  const palace = stored ?? null;
  terminal.json({ model: model.id, file, palace, reembed: switches, ...whereTextGoes(model) });
  terminal.say(`the model is now ${line(model.id)} (${line(file)})`);
  const note = remoteModelWarning(model);
  if (note !== undefined) terminal.note(note);
  if (switches) {
    terminal.say(
      `the palace uses ${line(stored.id)}; mempalace reembed --model ${line(model.id)} switches it`,
    );
  }
  if (effective.model !== model.id) {
    terminal.warn(`${effective.origins.get('model')} sets ${line(effective.model)} and overrides the file`);
  }
}

function whereTextGoes(model: EmbeddingModel): { leaves_process: boolean; leaves_machine: boolean } {
  return { leaves_process: model.reach !== 'process', leaves_machine: model.reach === 'network' };
}

function sameId(one: string | undefined, other: string): boolean {
  return one !== undefined && isSameId(one, other);
}
