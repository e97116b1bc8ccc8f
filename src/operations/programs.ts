/** What programs ask of a palace for themselves: no command, address or tool is made of it. */
import * as z from 'zod/mini';
import { UserError } from '../core/errors.js';
import { packVectors } from '../embedding/packed.js';
import { DRIFT } from '../service/contract/index.js';
import { recentRuns } from '../service/palace/runs.js';
import { ModelChanged, sameModel } from '../store/index.js';
import { procedure } from './operation.js';

const COUNTS = 'this counts the whole palace';
const RUNS = 10;

const nothing = () => z.strictObject({});

export const programs = {
  /** Whether its indexes fit its rows. A quick check; takes a millisecond. */
  drift: procedure({
    ...DRIFT,
    inWing: 'this checks the whole palace',
    input: nothing,
    run(_, { handle }) {
      const found = handle.get().drift();
      return { warnings: found === undefined ? [] : [found] };
    },
  }),
  /** Whether questions are compared by meaning now, and why not, if searches use the model. */
  meaningNow: procedure({
    name: 'palace meaning',
    reads: true,
    inWing: COUNTS,
    input: nothing,
    async run(_, { handle, models, call: { signal } }) {
      const { embedder, trouble } = await models.forQuestion(handle.get().model, { patient: false, signal });
      return { loaded: embedder !== undefined, reason: trouble?.text };
    },
  }),
  /** What changes when something is written, with the last runs, short writes too. Takes milliseconds. */
  changeCounter: procedure({
    name: 'palace changes',
    reads: true,
    inWing: COUNTS,
    input: nothing,
    async run(_, { handle, now }) {
      const { secondText } = await import('../knowledge/facts/index.js');
      const palace = handle.get();
      return palace.snapshot(() => {
        const rooms = palace.rooms();
        const { triples: facts, current: current_facts } = palace.facts.counts(secondText(now));
        return {
          sources: rooms.reduce((sum, { sources }) => sum + sources, 0),
          drawers: rooms.reduce((sum, { drawers }) => sum + drawers, 0),
          facts,
          current_facts,
          runs: recentRuns(palace, RUNS).map((run) => {
            const { id, command, startedMs: started, endedMs: ended, exitCode, running, counts } = run;
            return { id, command, started, ended, exit_code: exitCode, running, counts };
          }),
        };
      });
    },
  }),
  /** Opens the palace again, which may have been replaced. */
  reopen: procedure({
    name: 'palace reopen',
    inWing: 'this opens the whole palace',
    input: nothing,
    async run(_, { handle, models, call: { signal } }) {
      handle.close();
      const palace = handle.get();
      await models.forQuestion(palace.model, { patient: false, signal });
      return { drawers: palace.drawerCount() };
    },
  }),
  /**
   * The vectors of texts, for a program that files beside a broker: it loads no second model. Where searches use none, it is
   * not loaded for this.
   *
   * @throws ModelChanged if the palace has another model; UserError `failed` if there is none
   */
  sharedModel: procedure({
    name: 'palace embed',
    reads: true,
    inWing: 'only programs of this machine borrow the model',
    input: () =>
      z.strictObject({
        model: z.strictObject({ id: z.string(), revision: z.string(), dimension: z.int() }),
        texts: z.array(z.string()),
        role: z.enum(['query', 'passage']),
      }),
    /** One after the other, as `packVectors` writes them. */
    async run({ model, texts, role }, { handle, models, call: { signal } }) {
      const { model: stored } = handle.get();
      if (!sameModel(stored, model)) throw new ModelChanged(stored);
      const { embedder, trouble } = await models.forQuestion(stored, { patient: true, signal });
      if (embedder === undefined)
        throw new UserError('failed', trouble?.text ?? 'searches of this palace use words alone', {
          hint: trouble?.hint,
        });
      return { vectors: packVectors(await embedder.embed(texts, role, signal)) };
    },
  }),
};
