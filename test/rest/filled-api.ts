import { onTestFinished } from 'vitest';
import { errorDocument } from '../../src/cli/app/failure.js';
import { loadConfig } from '../../src/config/index.js';
import { openStaging } from '../../src/feeders/staging/staging.js';
import { resolveFolders } from '../../src/platform/folders.js';
import { ROOT, restApi } from '../../src/rest/api.js';
import { Live } from '../../src/rest/events/live.js';
import type { Client, Machine, RestHost } from '../../src/rest/host.js';
import type { SqliteService } from '../../src/service/sqlite/index.js';
import { palaceFile } from '../../src/store/index.js';
import { fileCheckpoint, filledPalace, serviceOf } from '../service/palace.js';
import { temporaryFolder } from '../support/palace.js';

const SETTINGS = { file: { path: '/c', exists: false }, settings: {}, origins: {}, on_page: [] };
const CHANGED = { file: '/c', changed: true, former: null, in_force: 5, origin: '/c:1' };
const PROJECTS = {
  path: '/l',
  exists: true,
  projects: [{ dir: '/shop', line: 1, there: true }],
  problems: [],
};
const APPLIED = {
  command: 'mempalace metabolism',
  applied: {
    ...{ id: '', step: 'constitution', output: null, wing: 'wing_a', room: 'r', title: 'Notes' },
    ...{ source_key: 'doc:p/notes.md', drawer_id: null, found: 9, opened: 1, days: 3, date: '2026-03-01' },
  },
  file: null,
};
const DOCTOR = { command: 'mempalace doctor', ok: 1, warnings: 0, failures: 0, findings: [] };

/** A cache with two staged files of a document. */
async function stagedTwice(sourceKey: string): Promise<string> {
  const cache = temporaryFolder();
  for (const wing of ['wing_a', 'wing_b']) {
    const prefix = `mempalace-docs/${wing}/p`;
    const staging = await openStaging({ cache, prefix, command: 'test', waitMs: 0 });
    const file = await staging.write('gates.md', 'Gates are shut at night.\n', 0);
    const place = { kind: 'document' as const, wing, room: 'general', origin: '/p/gates.md' };
    staging.put({ ...file, ...place, sourceKey, mtimeMs: 0, madeBy: 'test 1', fingerprint: '' });
    await staging.save({ skipped: [] });
    staging.close();
  }
  return cache;
}

/** The API over a filled palace, as the page of this machine gets it. */
export async function api(changes: Partial<RestHost> = {}) {
  const folder = await filledPalace();
  await fileCheckpoint(folder);
  const service: SqliteService = serviceOf(folder);
  onTestFinished(() => service.close());
  const home = temporaryFolder();
  const config = await loadConfig({
    env: { HOME: home },
    folders: resolveFolders({ HOME: home }),
    flags: {},
  });
  const log: Record<string, unknown>[] = [];
  const live = new Live({
    service,
    files: [palaceFile(folder), `${palaceFile(folder)}-wal`],
    lookMs: 20,
    onTrouble: (error) => log.push({ error }),
  });
  const machine: Machine = {
    doctor: async () => DOCTOR,
    settings: async () => SETTINGS,
    changeSetting: async (key, value) => ({ ...CHANGED, key, value: value ?? null }),
    schedules: async () => ({ schedules: [], feeders: [] }),
    log: async () => ({ logs: [], entries: [], showing: 0 }),
    cache: await stagedTwice('doc:p/gates.md'),
    connections: () => [{ agent: 'ada' }],
    projects: () => PROJECTS,
    feed: async () => ({ new: 1 }),
    applyProposal: async (id) => ({ ...APPLIED, applied: { ...APPLIED.applied, id } }),
  };
  const answered = restApi({
    live,
    service,
    config,
    surroundings: async () => ({ palace: folder, broker: null, stale: [] }),
    machine,
    record: async (entry) => void log.push(entry),
    problem: (error) => errorDocument(error),
    ...changes,
  });
  const answer = (request: Request, client: Client) =>
    answered(request, client, new AbortController().signal);
  const get = (path: string, init: RequestInit = {}) =>
    answer(new Request(`http://localhost${ROOT}${path}`, init), CLIENT);
  const json = async (path: string) => bodyOf(await get(path));
  const post = async (path: string, body: unknown) => {
    const headers = { 'content-type': 'application/json' };
    return get(path, { method: 'POST', headers, body: JSON.stringify(body) });
  };
  return { service, get, post, json, answer, answered, log, live, machine, folder };
}

export const CLIENT = { name: 'tester', readOnly: false };

type Body = Record<string, unknown>;

/** Of an answer that is JSON. */
async function bodyOf(response: Response): Promise<Body> {
  return Object(await response.json());
}
