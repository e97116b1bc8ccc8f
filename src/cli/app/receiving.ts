import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { timeLimit } from '../../core/time-up.js';
import { replaceFile } from '../../platform/atomic-write.js';
import { type Filed, type Filing, filing } from '../../service/contract/receiving.js';
import { borrowEmbedder } from './broker-model.js';
import { fileBatches, withRun } from './filing.js';
import { filingModel } from './palace-model.js';
import type { CommandContext } from './runner.js';
import { sanitiserFor } from './sanitiser.js';
import { outcomeOf, summarise } from './summary.js';

/** In an upload: how it is filed. */
const ASKED = 'asked.json';

/** Notes how an upload is filed, for the program that does it. */
export function putAsked(folder: string, asked: Filing): void {
  replaceFile(join(folder, ASKED), JSON.stringify(asked));
}

function askedIn(folder: string) {
  return filing.parse(JSON.parse(readFileSync(join(folder, ASKED), 'utf8')));
}

/**
 * Files an upload as a run of its own, under the run lock.
 *
 * @throws UserError as `withRun` does
 */
export async function fileReceived(folder: string, waitMs: number, given: CommandContext): Promise<Filed> {
  const { Upload, receivedBatch } = await import('../../miner/received.js');
  const { run, mark, unsent, problems, checkpoints, maxMs, ...options } = askedIn(folder);
  const context: CommandContext = {
    ...given,
    startEmbedder: (options) => borrowEmbedder(run.command, given, options),
  };
  const startedAt = performance.now();
  const timeIsUp = timeLimit(maxMs);
  let filed: Filed | undefined;
  const model = () => filingModel(context.folders.palace, context);
  await withRun({ ...run, waitMs, model }, context, async (open) => {
    const sanitiser = await sanitiserFor(true, context);
    const upload = Upload.at(folder);
    const batches = [];
    for (const { head, sources } of upload.batches())
      batches.push(await receivedBatch(upload, head, sources, { mark, sanitiser, unsent: new Set(unsent) }));
    const filing = { ...options, batches, sanitiser, timeIsUp, checkpoints: new Map(checkpoints) };
    const mined = await fileBatches(open, filing, context);
    filed = { ...mined, problems: [...batches.flatMap(({ skipped }) => skipped), ...mined.problems] };
    return outcomeOf(summarise(run.command, problems, filed, startedAt));
  });
  if (filed === undefined) throw new Error('the run has not filed');
  return filed;
}
