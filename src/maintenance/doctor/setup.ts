import { launcherOf } from '../../schedule/index.js';
import { type Agent, agentsHere, type SetupPlaces } from '../../setup/agents.js';
import { FILE_STEPS } from '../../setup/pieces.js';
import { planSetup } from '../../setup/plan.js';
import { readRecord } from '../../setup/record.js';
import { type DoctorContext, type Found, ok } from './context.js';

/** What `mempalace setup` has written for each agent of this machine, and what is missing: as advice, since nothing is broken. */
export function checkSetup({ env, folders }: DoctorContext): Found[] {
  const { home, config, data } = folders;
  const places: SetupPlaces = { home, config, data, env, program: (name) => launcherOf(home, name) };
  const record = readRecord(folders);
  return agentsHere(places).map((agent) => {
    const missing = FILE_STEPS.filter((step) =>
      planSetup({ agents: [agent], steps: [step], places, record }).some(
        (each) => each.kind !== 'kept' || each.why !== undefined,
      ),
    );
    return found(agent, places, missing);
  });
}

function found(agent: Agent, places: SetupPlaces, missing: readonly string[]): Found {
  const known = new Set(agent.pieces(places).flatMap((piece) => piece.steps));
  const there = FILE_STEPS.filter((step) => known.has(step) && !missing.includes(step));
  const parts = [
    ...(there.length > 0 ? [`set up: ${there.join(', ')}`] : []),
    ...(missing.length > 0 ? [`not set up: ${missing.join(', ')}`] : []),
  ];
  const finding = ok(`${agent.name}: ${parts.join('; ')}`);
  return missing.length === 0 ? finding : { ...finding, next: `mempalace setup ${agent.id}` };
}
