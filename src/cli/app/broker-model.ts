import { findBroker } from '../../broker/find.js';
import { messageOf } from '../../core/errors.js';
import { Borrowed, type Lender } from '../../embedding/borrowed.js';
import { type Embedder, type EmbedderOptions, modelById, startEmbedder } from '../../embedding/index.js';
import { unpackVectors } from '../../embedding/packed.js';
import { ask } from '../../operations/operation.js';
import type { ServiceCall } from '../../service/contract/index.js';
import type { ModelIdentity } from '../../store/index.js';
import { brokerOf, reasonOf } from './broker.js';
import type { CommandContext } from './runner.js';

/** A broker that does not answer for so long has stopped, milliseconds. A wave takes seconds. */
const SILENCE_MS = 60_000;

/**
 * As `startEmbedder`, with the model of this palace's broker, if one runs. It is not started for this, and one that the
 * user named is not asked: it may have another palace, on another machine. The batches are as small as the broker's, since a
 * vector depends on its batch, in its last bits.
 *
 * @param command that embeds
 */
export async function borrowEmbedder(
  command: string,
  context: CommandContext,
  options: EmbedderOptions & { modelId: string },
): Promise<Embedder> {
  const { config, terminal } = context;
  const start = () => startEmbedder({ ...options, batch: 'small' });
  const model = modelById(options.modelId, options.dimension);
  const wanted =
    config.broker.use === 'auto' && model.reach === 'process' ? brokerOf(context, 'service') : undefined;
  const found = wanted && (await findBroker(wanted));
  if (found === undefined || 'why' in found) {
    terminal.log?.write('debug', `embeds with a model of its own: ${reasonOf(found)}`);
    return start();
  }
  const { overStream } = await import('./over-stream.js');
  const { programs } = await import('../../operations/programs.js');
  const service = overStream(found.stream);
  terminal.log?.write('debug', `embeds with the model of the broker (process ${found.reply.pid})`);
  const { id, revision, dimension } = model;
  const identity: ModelIdentity = { id, revision, dimension };
  const lender: Lender = {
    async embed(texts, role, signal) {
      const patience = AbortSignal.any([signal, AbortSignal.timeout(SILENCE_MS)]);
      const call: ServiceCall = { signal: patience, agent: command, through: command, waitMs: 0 };
      const asked = { model: identity, texts: [...texts], role };
      const { vectors } = await ask(service, programs.sharedModel, asked, call);
      return unpackVectors(vectors, texts.length, dimension);
    },
    close: service.close,
  };
  return new Borrowed(model, lender, (reason) => {
    terminal.log?.write('info', `loads a model of its own: ${messageOf(reason)}`);
    return start();
  });
}
