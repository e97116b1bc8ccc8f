import { Argument } from 'commander';
import { createCommand } from '../../app/options.js';
import { perform } from '../../app/runner.js';
import { MODEL_ACTIONS, type ModelFlags } from './actions.js';

const HELP = `
What it does:
  list         every model: dimension, size, what it is for, whether it is here
  pull <id>    bring the files of a model here, from the Hugging Face hub or
               --from <folder>
  verify [id]  hash the files, load the model and embed a sentence (without an
               id: every model here)
  path [id]    print its folder (without an id: of the configured one)
  use <id>     write it into the configuration file

A model is also an OpenAI-compatible server: its URL, # and the name that the
model has there, as in http://127.0.0.1:11434/v1#nomic-embed-text. Text that is
filed or searched is then sent there.

Examples:
  mempalace model list                         which there are, which are here
  mempalace model pull multilingual-e5-small   bring one here`;

export const model = createCommand('model', 'The embedding models: which there are, which are here')
  .addArgument(new Argument('[what]', 'what to do').choices(MODEL_ACTIONS).default('list'))
  .argument('[id]', 'the model')
  .option('--from <folder>', 'pull: copy the files from this folder instead')
  .addHelpText('after', HELP)
  .action((what: string, id: string | undefined, flags: ModelFlags) =>
    perform(flags, async (context) => (await import('./run.js')).runModel(what, id, flags, context)),
  );
