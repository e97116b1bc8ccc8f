import { BESIDE, formatModel, type ModelIdentity, type RunStart, SCHEMA_VERSION } from '../../store/index.js';
import { VERSION } from './version.js';

/** What a run is recorded to have been done with. */
export function versionsOf(model: ModelIdentity): Record<string, string> {
  return { toolkit: VERSION, schema: String(SCHEMA_VERSION), model: formatModel(model) };
}

/** The record of what is done beside the runs that file; it names no source, since it stays when one is forgotten. */
export function besideRun(command: string, model: ModelIdentity, startedMs: number): RunStart {
  return { command, scope: BESIDE, narrowed: true, versions: versionsOf(model), startedMs };
}
