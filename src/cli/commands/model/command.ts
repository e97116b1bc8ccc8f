import { createCommand } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const HELP = `
Without a command, model lists the models. An OpenAI-compatible server can also
be used as a model: its URL, # and the name of the model on that server, as in
http://127.0.0.1:11434/v1#nomic-embed-text. Text that is filed or searched is
then sent to that server.

Examples:
  mempalace model list                         all models
  mempalace model pull multilingual-e5-small   download a model`;

export const model = createCommand('model', 'List, download and choose embedding models')
  .addCommand(
    createCommand('list', 'List all models with dimension, size, purpose and state').action(
      lazily(async () => (await import('./run.js')).listModels),
    ),
    { isDefault: true },
  )
  .addCommand(
    createCommand('pull', 'Download a model from the Hugging Face hub, or copy it from a folder')
      .argument('<id>', 'the model')
      .option('--from <folder>', 'copy the files from this folder instead')
      .action(lazily(async () => (await import('./run.js')).pull)),
  )
  .addCommand(
    createCommand('verify', 'Check the files of a model, load it and embed a sentence')
      .argument('[id]', 'the model (default: every downloaded model)')
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
