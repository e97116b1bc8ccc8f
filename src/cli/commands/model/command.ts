import { createCommand } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const HELP = `
Without a command, model lists the models. A model is also an OpenAI-compatible
server: its URL, # and the name that the model has there, as in
http://127.0.0.1:11434/v1#nomic-embed-text. Text that is filed or searched is
then sent there.

Examples:
  mempalace model list                         which there are, which are here
  mempalace model pull multilingual-e5-small   bring one here`;

export const model = createCommand('model', 'The embedding models: which there are, which are here')
  .addCommand(
    createCommand('list', 'List every model: dimension, size, what it is for, whether it is here').action(
      lazily(async () => (await import('./run.js')).listModels),
    ),
    { isDefault: true },
  )
  .addCommand(
    createCommand('pull', 'Bring the files of a model here, from the Hugging Face hub or a folder')
      .argument('<id>', 'the model')
      .option('--from <folder>', 'copy the files from this folder instead')
      .action(lazily(async () => (await import('./run.js')).pull)),
  )
  .addCommand(
    createCommand('verify', 'Hash the files of a model, load it and embed a sentence')
      .argument('[id]', 'the model (default: every model that is here)')
      .action(lazily(async () => (await import('./run.js')).verify)),
  )
  .addCommand(
    createCommand('path', 'Print the folder of a model')
      .argument('[id]', 'the model (default: the configured one)')
      .action(lazily(async () => (await import('./run.js')).printFolder)),
  )
  .addCommand(
    createCommand('use', 'Write a model into the configuration file')
      .argument('<id>', 'the model')
      .action(lazily(async () => (await import('./run.js')).useModel)),
  )
  .addHelpText('after', HELP);
