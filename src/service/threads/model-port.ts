/** The one model of a process, for its reader threads: they ask for vectors through a port. */
import type { MessagePort } from 'node:worker_threads';
import { type ErrorCode, messageOf, UserError } from '../../core/errors.js';
import type { Embedder, EmbeddingModel } from '../../embedding/index.js';
import { ModelChanged, type ModelIdentity } from '../../store/index.js';
import type { Models, Trouble } from '../palace/models.js';

type Asked =
  /** `must`: waits, and fails where it cannot be loaded. */
  | { id: number; ask: 'model'; identity: ModelIdentity; patient: boolean; must: boolean }
  | { id: number; ask: 'vectors'; identity: ModelIdentity; texts: readonly string[]; role: Role }
  | { drop: number };

type Role = 'query' | 'passage';

type Answered = { id: number } & (
  | { model: EmbeddingModel | undefined; trouble: Trouble | undefined }
  | { vectors: Float32Array[] }
  | { changed: ModelIdentity }
  | { error: { code: ErrorCode; message: string; hint: string | undefined } }
);

/** Answers a thread's questions for as long as its port is open. */
export function lendModels(port: MessagePort, models: Models): void {
  const running = new Map<number, AbortController>();
  const answer = async (asked: Exclude<Asked, { drop: number }>, signal: AbortSignal): Promise<Answered> => {
    const { id, identity } = asked;
    const must = asked.ask === 'model' ? asked.must : asked.role === 'passage';
    const patient = asked.ask === 'model' && asked.patient;
    const { embedder, trouble } = must
      ? { embedder: await models.wait(identity, signal), trouble: undefined }
      : await models.forQuestion(identity, { patient, signal });
    if (asked.ask === 'model') {
      if (embedder === undefined) return { id, model: undefined, trouble };
      const { reach, prefixes, dimension, revision, id: name } = embedder.model;
      return { id, model: { id: name, revision, dimension, prefixes, reach }, trouble };
    }
    if (embedder === undefined)
      throw new UserError('failed', trouble?.text ?? 'the model is not loaded', { hint: trouble?.hint });
    return { id, vectors: await embedder.embed(asked.texts, asked.role, signal) };
  };
  port.on('message', async (asked: Asked) => {
    if ('drop' in asked) return running.get(asked.drop)?.abort();
    const { id, identity } = asked;
    const call = new AbortController();
    running.set(id, call);
    try {
      port.postMessage(await answer(asked, call.signal));
    } catch (error) {
      port.postMessage(error instanceof ModelChanged ? { id, changed: identity } : { id, ...failure(error) });
    } finally {
      running.delete(id);
    }
  });
  port.on('close', () => {
    for (const call of running.values()) call.abort();
  });
}

function failure(error: unknown) {
  const known = error instanceof UserError ? error : undefined;
  const { code, message, hint } = known ?? new UserError('failed', `embedding failed: ${messageOf(error)}`);
  return { error: { code, message, hint } };
}

/** The models of another thread. */
export function borrowedModels(port: MessagePort): Models {
  const calls = new Map<number, (answer: Answered) => void>();
  let last = 0;
  port.on('message', (answer: Answered) => calls.get(answer.id)?.(answer));
  type Question =
    | Omit<Extract<Asked, { ask: 'model' }>, 'id'>
    | Omit<Extract<Asked, { ask: 'vectors' }>, 'id'>;
  const ask = (question: Question, signal: AbortSignal | undefined): Promise<Answered> => {
    last += 1;
    const id = last;
    return new Promise<Answered>((resolve, reject) => {
      const drop = (): void => {
        calls.delete(id);
        port.postMessage({ drop: id });
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', drop, { once: true });
      calls.set(id, (answer) => {
        calls.delete(id);
        signal?.removeEventListener('abort', drop);
        if ('error' in answer) {
          const { code, message, hint } = answer.error;
          reject(new UserError(code, message, { hint }));
        } else if ('changed' in answer) reject(new ModelChanged(answer.changed));
        else resolve(answer);
      });
      port.postMessage({ id, ...question });
    });
  };
  const embedderOf = (model: EmbeddingModel, identity: ModelIdentity): Embedder => ({
    model,
    async embed(texts, role = 'passage', signal) {
      const answer = await ask({ ask: 'vectors', identity, texts, role }, signal);
      return 'vectors' in answer ? answer.vectors : [];
    },
    close: async () => {},
  });
  const borrowed = async (
    identity: ModelIdentity,
    options: { patient: boolean; must: boolean; signal: AbortSignal },
  ) => {
    const { signal, ...how } = options;
    const answer = await ask({ ask: 'model', identity, ...how }, signal);
    if (!('model' in answer)) throw new Error('the model was asked for');
    return { embedder: answer.model && embedderOf(answer.model, identity), trouble: answer.trouble };
  };
  return {
    forQuestion: (identity, { patient, signal }) => borrowed(identity, { patient, must: false, signal }),
    async wait(identity, signal) {
      const { embedder } = await borrowed(identity, { patient: true, must: true, signal });
      if (embedder === undefined) throw new Error('there is no model');
      return embedder;
    },
    close: async () => port.close(),
  };
}
