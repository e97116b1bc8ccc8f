import { type Agent, agentsHere, placesOf } from '../../setup/agents.js';
import { FILE_STEPS } from '../../setup/pieces.js';
import { type Planned, planSetup } from '../../setup/plan.js';
import { readRecord } from '../../setup/record.js';
import { type DoctorContext, type Found, ok } from './context.js';

/** What `mempalace setup` has written for each agent of this machine, and what is missing: as advice, since nothing is broken. */
export function checkSetup(context: DoctorContext): Found[] {
  const places = placesOf(context);
  const record = readRecord(context.folders);
  return agentsHere(places).map((agent) =>
    found(agent, planSetup({ agents: [agent], steps: FILE_STEPS, places, record })),
  );
}

function found({ id, name }: Agent, planned: readonly Planned[]): Found {
  const held = planned.flatMap((each) => ('why' in each ? [`${each.file}: ${each.why}`] : []));
  const lacking = planned.filter((each) => each.kind !== 'kept' || 'why' in each);
  const stepsOf = (plan: readonly Planned[]) =>
    FILE_STEPS.filter((step) => plan.some(({ steps }) => steps.includes(step)));
  const missing = stepsOf(lacking);
  const there = stepsOf(planned).filter((step) => !missing.includes(step));
  const parts = [
    ...(there.length > 0 ? [`set up: ${there.join(', ')}`] : []),
    ...(missing.length > 0 ? [`not set up: ${missing.join(', ')}`] : []),
    ...held,
  ];
  const finding = ok(`${name}: ${parts.join('; ')}`);
  return missing.length === 0 ? finding : { ...finding, next: `mempalace setup ${id}` };
}
