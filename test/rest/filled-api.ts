import { onTestFinished } from 'vitest';
import { errorDocument } from '../../src/cli/app/failure.js';
import { loadConfig } from '../../src/config/index.js';
import { resolveFolders } from '../../src/platform/folders.js';
import { ROOT, restApi } from '../../src/rest/api.js';
import type { RestHost } from '../../src/rest/route.js';
import type { SqliteService } from '../../src/service/sqlite/index.js';
import { fileCheckpoint, filledPalace, serviceOf } from '../service/palace.js';
import { temporaryFolder } from '../support/palace.js';

const SETTINGS = { file: { path: '/c', exists: false }, settings: {}, origins: {} };
const DOCTOR = { command: 'mempalace doctor', ok: 1, warnings: 0, failures: 0, findings: [] };

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
  const answer = restApi({
    service,
    config,
    surroundings: async () => ({ palace: folder, broker: null, stale: [] }),
    machine: { doctor: async () => DOCTOR, settings: async () => SETTINGS, staged: () => 2 },
    record: async (entry) => void log.push(entry),
    problem: (error) => errorDocument(error),
    ...changes,
  });
  const get = (path: string, init: RequestInit = {}) =>
    answer(new Request(`http://localhost${ROOT}${path}`, init), GUEST);
  const json = async (path: string) => bodyOf(await get(path));
  return { service, get, json, answer, log };
}

export const GUEST = { name: 'tester', readOnly: false };

type Body = Record<string, unknown>;

/** Of an answer that is JSON. */
async function bodyOf(response: Response): Promise<Body> {
  return Object(await response.json());
}
