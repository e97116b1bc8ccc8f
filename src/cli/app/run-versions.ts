import {
  formatModel,
  type ModelIdentity,
  type RunStart,
  SCHEMA_VERSION,
  SHORT_WRITE,
} from '../../store/index.js';
import { VERSION } from './version.js';

export function versionsOf(model: ModelIdentity): Record<string, string> {
  return { toolkit: VERSION, schema: String(SCHEMA_VERSION), model: formatModel(model) };
}

/** The record of a change other than filing. It names no source, since it stays when a source is forgotten. */
export function besideRun(command: string, model: ModelIdentity, startedMs: number): RunStart {
  return { command, scope: SHORT_WRITE, narrowed: true, versions: versionsOf(model), startedMs };
}
