/** How much faster many questions are answered at the same time than one after the other. */
import { startEmbedder } from '../../dist/embedding/embedder.js';
import { sqliteService } from '../../dist/service/sqlite/index.js';
import { WarmModel } from '../../dist/service/sqlite/warm-model.js';
import { withReaders } from '../../dist/service/threads/readers.js';

const asking = () => ({ signal: new AbortController().signal, agent: 'bench', through: 'bench', waitMs: 0 });

const SEARCH = { name: 'search', reads: true };

/**
 * @param {{ folder: string, questions: string[], rounds: number, threads?: boolean }} options threads: default true
 * @returns {Promise<{ single: number[], parallel: number[] }>} milliseconds of each round for all questions
 */
export async function parallelFinds({ folder, questions, rounds, threads = true }) {
  const models = new WarmModel(({ id }) => startEmbedder({ modelId: id, threads: 1 }));
  const alone = sqliteService({ folder, models });
  const service = threads ? withReaders(alone, { folder, models }) : alone;
  const ask = async (question) => {
    const { hits, trouble } = await service.ask(SEARCH, { query: question }, asking());
    if (hits.length === 0 || trouble !== undefined) throw new Error(`nothing found for ${question}`);
  };
  const timed = async (work) => {
    const start = performance.now();
    await work();
    return performance.now() - start;
  };
  const together = () => Promise.all(questions.map(ask));
  const single = [];
  const parallel = [];
  try {
    await together();
    for (let round = 0; round < rounds; round += 1) {
      single.push(
        await timed(async () => {
          for (const question of questions) await ask(question);
        }),
      );
      parallel.push(await timed(together));
    }
  } finally {
    await service.close();
  }
  return { single, parallel };
}
