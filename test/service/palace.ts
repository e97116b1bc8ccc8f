import { cpSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as z from 'zod/mini';
import { ACTIVITY_VERSION, type DerivedActivity } from '../../src/activity/index.js';
import type { TurnMark } from '../../src/core/turns.js';
import { forget } from '../../src/maintenance/forget.js';
import { meantNow, namesOf } from '../../src/maintenance/forgettable.js';
import { mine } from '../../src/miner/mine.js';
import { PieceBuilder } from '../../src/miner/pieces.js';
import { receivedBatch, Upload } from '../../src/miner/received.js';
import { ask } from '../../src/operations/operation.js';
import type { Found } from '../../src/operations/search/found.js';
import { search } from '../../src/operations/search/index.js';
import { createSanitiser } from '../../src/sanitiser/index.js';
import type { PalaceService, ServiceCall } from '../../src/service/contract/index.js';
import type { Writer } from '../../src/service/palace/resources.js';
import { type SqliteService, sqliteService } from '../../src/service/sqlite/index.js';
import { WarmModel } from '../../src/service/sqlite/warm-model.js';
import { Palace } from '../../src/store/index.js';
import { countingEmbedder } from '../support/embedder.js';
import { filingOf, hashOf, TINY_MODEL, temporaryFolder, vectorOf } from '../support/palace.js';

export const asking = (changes: Partial<ServiceCall> = {}): ServiceCall => ({
  signal: new AbortController().signal,
  agent: 'tester',
  through: 'test',
  waitMs: 1_000,
  ...changes,
});

type Question = z.input<ReturnType<typeof search.input>>;

export const question = (query: string, changes: Partial<Question> = {}): Question => ({
  query,
  weights: { relevance: 1, recency: 0, importance: 0 },
  half_life_days: 90,
  ...changes,
});

/** Asks a search: what programs get. */
export const find = (service: Pick<PalaceService, 'ask'>, asked: Question, call = asking()): Promise<Found> =>
  ask(service, search, asked, call);

const USER = 'User:\nWhy is the zebra late?\n';
const ASSISTANT = 'Assistant:\nThe gate was shut.\n';
export const TALK = `${USER}${ASSISTANT}`;
const TURNS: TurnMark[] = [
  { role: 'user', start: 0 },
  { role: 'assistant', start: USER.length },
];
/** Longer than one stored piece. */
export const LONG = Array.from({ length: 30_000 }, (_, n) => `giraffe ${n}\n`).join('');

const ACTIVITY: DerivedActivity = {
  version: ACTIVITY_VERSION,
  touched: [{ path: '/p/gates.md', action: 'edited', former: undefined, at: USER.length }],
  failures: [],
};

interface Filed {
  changes: Parameters<typeof filingOf>[2];
  turns?: TurnMark[];
  activity?: DerivedActivity;
  cuts?: number;
}

/** Files a source as a feeder does. */
export async function file(
  palace: Palace,
  sourceKey: string,
  texts: string[],
  { changes, turns, activity }: Filed,
): Promise<void> {
  const builder = new PieceBuilder();
  await builder.add(texts.join(''));
  const filing = filingOf(sourceKey, texts, changes);
  palace.vectors.keep(
    texts.map((text) => ({ hash: hashOf(text), embedding: vectorOf(text) })),
    palace.model,
  );
  const id = palace.runs.begin({ command: 'test', scope: '', narrowed: false, versions: {}, startedMs: 1 });
  const pieces = await builder.finish();
  palace.file({ ...filing, pieces, turns, activity }, { id, now: '2026-01-02T03:04:05.000Z' });
}

/** Folders of filled palaces by wing, made once per process: a fill takes a hundred times as long as a copy. */
const filled = new Map<string | undefined, Promise<string>>();

/** A folder with a palace of two projects' documents, and a session. @param wing of all of them; default: one each */
export async function filledPalace(wing?: string): Promise<string> {
  let original = filled.get(wing);
  if (original === undefined) {
    original = fillPalace(wing);
    filled.set(wing, original);
  }
  const folder = join(temporaryFolder(), 'palace');
  cpSync(await original, folder, { recursive: true, preserveTimestamps: true });
  return folder;
}

async function fillPalace(wing: string | undefined): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'mempalace-filled-'));
  const palace = Palace.write(folder, TINY_MODEL);
  palace.projects.put({ id: 'p', root: '/p', rootCommit: null, folder: 'p' }, wing ?? 'wing_a');
  palace.projects.put({ id: 'q', root: '/q', rootCommit: null, folder: 'q' }, wing ?? 'wing_b');
  const document = { wing: wing ?? 'wing_a', projectId: 'p', place: 'notes.md', title: 'Notes' };
  const texts = ['The zebra sleeps. See [[gates]].\n', 'The zebra wakes at noon.\n', 'It eats grass.\n'];
  await file(palace, 'doc:p/notes.md', texts, { changes: document });
  await file(palace, 'doc:p/gates.md', ['Gates are shut at night.\n'], {
    changes: { ...document, place: 'gates.md', title: 'Gates' },
  });
  await file(palace, 'doc:q/long.md', [LONG.slice(0, 500), LONG.slice(500)], {
    changes: { projectId: 'q', wing: wing ?? 'wing_b', place: 'long.md' },
  });
  await file(palace, 'session:o:ses_1', [USER, ASSISTANT], {
    changes: {
      kind: 'conversation',
      wing: wing ?? 'wing_talks',
      sessionId: 'ses_1',
      directory: '/p',
      title: 'Zebra',
    },
    turns: TURNS,
    activity: ACTIVITY,
  });
  palace.close();
  return folder;
}

/** Adds a checkpoint of its session. */
export async function fileCheckpoint(folder: string): Promise<void> {
  const palace = Palace.write(folder, TINY_MODEL);
  await file(palace, 'checkpoint:session:o:ses_1/end.md', ['The gate is open again.\n'], {
    changes: { kind: 'document', wing: 'wing_talks', sessionId: 'ses_1', directory: '/p', title: 'Zebra' },
  });
  palace.close();
}

/** Writes as a program does. */
export function writerInto(folder: string): Writer {
  return {
    sanitiser: (redact = true) => createSanitiser({ redact }),
    async write(through, work) {
      const palace = Palace.write(folder, TINY_MODEL);
      try {
        const startedMs = Date.now();
        return await work(palace, { command: through, scope: '', narrowed: true, versions: {}, startedMs });
      } finally {
        palace.close();
      }
    },
    clearTraces: async () => true,
    async fileReceived(folderOfUpload, { run, mark, addedBy, checkpoints }) {
      const palace = Palace.write(folder, TINY_MODEL);
      try {
        const [upload, sanitiser] = [Upload.at(folderOfUpload), await createSanitiser({ redact: true })];
        const batches = [];
        for (const { head, sources } of upload.batches())
          batches.push(await receivedBatch(upload, head, sources, { mark, sanitiser }));
        const id = palace.runs.begin({ ...run, versions: {}, startedMs: Date.now() });
        const embedder = async () => countingEmbedder();
        const stamp = { id, now: new Date().toISOString() };
        const asked = { batches, addedBy, sanitiser, checkpoints: new Map(checkpoints) };
        return await mine({ palace, run: stamp, embedder, ...asked });
      } finally {
        palace.close();
      }
    },
    async forget(asked) {
      const palace = Palace.write(folder, TINY_MODEL);
      try {
        const { sources, tombstones } = meantNow(palace, asked);
        const how = { now: new Date().toISOString(), removeBackups: asked.backups };
        const { drawers, facts, logEmptied, ...done } = await forget(palace, { sources }, how);
        return {
          ...{ command: 'mempalace forget', sources: namesOf(sources), already_forgotten: tombstones.length },
          ...{ drawers_removed: drawers, facts_removed: facts, staged_removed: 0 },
          ...{ ...done, log_emptied: logEmptied },
        };
      } finally {
        palace.close();
      }
    },
  };
}

/** The service over the palace in a folder, with a model of vectors that depend only on the text. */
export function serviceOf(folder: string): SqliteService {
  return sqliteService({
    folder,
    models: new WarmModel(async () => countingEmbedder()),
    writer: writerInto(folder),
  });
}
