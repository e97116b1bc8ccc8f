/** The one model of a process, for its reader threads: they ask for vectors through a port. */
import type { MessagePort } from 'node:worker_threads';
import { messageOf, UserError } from '../../core/errors.js';
import type { Embedder, EmbeddingModel } from '../../embedding/index.js';
import { ModelChanged, type ModelIdentity } from '../../store/index.js';
import type { Models, Trouble } from '../palace/models.js';
import { clientOver } from '../rpc/client.js';
import type { Request, Response } from '../rpc/messages.js';
import { serveOver } from '../rpc/over.js';
import { portLink } from '../rpc/ports.js';

interface Question {
  identity: ModelIdentity;
  /** Wait for a model that is being loaded. */
  patient: boolean;
  /** Wait, and fail where it cannot be loaded. */
  must: boolean;
  /** Absent: only the model is asked for. */
  texts?: { texts: readonly string[]; role: 'query' | 'passage' };
}

interface Answered {
  model?: EmbeddingModel | undefined;
  trouble?: Trouble | undefined;
  vectors?: Float32Array[];
  /** The palace has another model by now. */
  isChanged?: true;
}

/** Answers a thread's questions for as long as its port is open. */
export function lendModels(port: MessagePort, models: Models): void {
  const answered = async (
    { identity, patient, must, texts: asked }: Question,
    signal: AbortSignal,
  ): Promise<Answered> => {
    const { embedder, trouble } = must
      ? { embedder: await models.wait(identity, signal), trouble: undefined }
      : await models.forQuestion(identity, { patient, signal });
    if (asked !== undefined) {
      if (embedder !== undefined) return { vectors: await embedder.embed(asked.texts, asked.role, signal) };
      throw new UserError('failed', trouble?.text ?? 'the model is not loaded', { hint: trouble?.hint });
    }
    if (embedder === undefined) return { trouble };
    const { reach, prefixes, dimension, revision, id } = embedder.model;
    return { model: { id, revision, dimension, prefixes, reach }, trouble };
  };
  const service = {
    async ask(_: unknown, input: unknown, { signal }: { signal: AbortSignal }) {
      try {
        return { ...(await answered(input as Question, signal)) };
      } catch (error) {
        if (error instanceof ModelChanged) return { isChanged: true };
        throw error;
      }
    },
  };
  const known = (error: unknown) =>
    error instanceof UserError ? undefined : new UserError('failed', `embedding failed: ${messageOf(error)}`);
  void serveOver(portLink<Response, Request>(port), service, (request) => request, { known });
}

const NEVER = new AbortController().signal;

/** The models of another thread. */
export function borrowedModels(port: MessagePort): Models {
  const service = clientOver(portLink<Request, Response>(port));
  const ask = async (question: Question, signal = NEVER): Promise<Answered> => {
    const by = { signal, agent: '', through: '', waitMs: 0 };
    const answer: Answered = await service.ask({ name: 'model', reads: true }, question, by);
    if (answer.isChanged === true) throw new ModelChanged(question.identity);
    return answer;
  };
  const borrowed = async (
    question: Question,
    signal: AbortSignal,
  ): Promise<{ embedder: Embedder | undefined; trouble: Trouble | undefined }> => {
    const { model, trouble } = await ask(question, signal);
    if (model === undefined) return { embedder: undefined, trouble };
    const embedder: Embedder = {
      model,
      async embed(texts, role = 'passage', signal) {
        const must = role === 'passage';
        const { identity } = question;
        return (await ask({ identity, patient: false, must, texts: { texts, role } }, signal)).vectors ?? [];
      },
      close: async () => {},
    };
    return { embedder, trouble };
  };
  return {
    forQuestion: (identity, { patient, signal }) => borrowed({ identity, patient, must: false }, signal),
    async wait(identity, signal) {
      const { embedder } = await borrowed({ identity, patient: true, must: true }, signal);
      if (embedder === undefined) throw new Error('there is no model');
      return embedder;
    },
    close: () => service.close(),
  };
}
