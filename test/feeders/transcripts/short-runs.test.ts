import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { TimeUp } from '../../../src/core/time-up.js';
import { stageTranscripts } from '../../../src/feeders/transcripts/stage.js';
import { surveyTranscripts } from '../../../src/feeders/transcripts/survey.js';
import { temporaryFolder } from '../../support/palace.js';
import { transcriptOptions } from '../../support/staged-transcripts.js';
import { turn } from '../../support/talks.js';

const INJECTED = '<system-reminder>\nall of it\n</system-reminder>';

/** Sessions of Claude Code, by file name. */
function sessions(files: Record<string, string[]>): string {
  const folder = temporaryFolder();
  for (const [name, texts] of Object.entries(files)) {
    const [sessionId = '', agentId] = name.split(' ');
    const more = agentId === undefined ? { sessionId } : { sessionId, agentId };
    writeFileSync(join(folder, `${name}.jsonl`), texts.map((text) => turn('user', text, more)).join(''));
  }
  return folder;
}

/** Stages in runs whose time is always up. Returns the number of staged transcripts, and of runs. */
async function stageShortly(folder: string) {
  const options = { ...(await transcriptOptions()), files: undefined, places: [{ folder }] };
  for (let runs = 1; runs < 20; runs += 1) {
    try {
      const survey = await surveyTranscripts(options);
      const batches = await stageTranscripts(survey, { ...options, timeIsUp: () => true });
      return { staged: batches.flatMap(({ sources }) => sources).length, runs };
    } catch (error) {
      if (!(error instanceof TimeUp)) throw error;
    }
  }
  throw new Error('the runs do not get on');
}

it.each<[string, Record<string, string[]>, number]>([
  ['of which the first say nothing', { a: [INJECTED], b: [INJECTED], c: ['C?'], d: ['D?'] }, 2],
  [
    'of which the first has a sub-agent that says nothing',
    { a: ['A?'], 'a x': [INJECTED], c: ['C?'], d: ['D?'] },
    3,
  ],
])('too short runs stage all sessions, %s', async (_, files, staged) => {
  expect(await stageShortly(sessions(files))).toEqual({ staged, runs: staged });
});

it('too short runs stage all sessions, of which the first are from the future', async () => {
  const folder = sessions({ a: ['A?'], b: ['B?'], c: ['C?'] });
  const future = Date.now() / 1000 + 1e8;
  for (const name of ['a', 'b']) utimesSync(join(folder, `${name}.jsonl`), future, future);
  expect(await stageShortly(folder)).toEqual({ staged: 3, runs: 3 });
});
