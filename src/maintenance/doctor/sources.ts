import { accessSync, constants } from 'node:fs';
import { dayOf, dayOfMoment } from '../../core/day.js';
import { plural } from '../../core/plural.js';
import type { DatabaseLocation } from '../../feeders/session/locate.js';
import type { LockHolder } from '../../platform/lock.js';
import { type ScheduleStatus, STALE_DAYS, scheduleStatus } from '../../schedule/index.js';
import type { CommandRuns } from '../../store/index.js';
import { type DoctorContext, type Found, fail, failure, ok, warn } from './context.js';

/** Which agents have sessions on this machine: what `mempalace-session` files. */
export async function checkSessions(context: DoctorContext): Promise<Found[]> {
  const { agentsWithSessions } = await import('../../feeders/transcripts/present.js');
  const found: Found[] = [];
  for (const { label, databases, placed } of await agentsWithSessions(context.env, context.folders)) {
    found.push(...(await opencodeFindings(databases, context)));
    if (placed !== undefined)
      found.push(ok(`${label}: ${plural(placed.transcripts, 'transcript')} in ${placed.folders.join(', ')}`));
  }
  if (found.length > 0) return found;
  return [ok('no agent has sessions on this machine (mempalace-session --db names a database of opencode)')];
}

async function opencodeFindings(
  databases: readonly DatabaseLocation[],
  { sqlite }: DoctorContext,
): Promise<Found[]> {
  const findings: Found[] = [];
  for (const { path, kind } of databases) {
    try {
      if (kind === 'json') {
        accessSync(path, constants.R_OK | constants.X_OK);
        findings.push(ok(`opencode: ${path} can be read`));
      } else if (sqlite) {
        findings.push(...(await findingsOf(path)));
      }
    } catch (error) {
      findings.push(failure(error, 'run this as the user who runs opencode'));
    }
  }
  return findings;
}

/** Counts sessions, of both layouts of an upgraded database once. What is not understood is never "ok". */
async function findingsOf(path: string): Promise<Found[]> {
  const { openDatabase } = await import('../../feeders/session/layouts.js');
  const { unknownForm } = await import('../../feeders/session/messages.js');
  const { histories, problems } = openDatabase({ path });
  try {
    const ids = histories.flatMap((history) => history.sessions().sessions.map(({ id }) => id));
    const unknown =
      problems.length > 0 ? problems : histories.flatMap((history) => unknownForm(history) ?? []);
    const cure = 'update mempalace-toolkit, then run mempalace-session';
    if (unknown.length > 0) return unknown.map((problem) => fail(`${path}: ${problem}`, cure));
    return [ok(`opencode: ${plural(new Set(ids).size, 'session')} can be read in ${path}`)];
  } finally {
    for (const history of histories) history.close();
  }
}

/** Exit codes: done; done with something left out; another run had the palace locked. */
const FINE = new Set([0, 3, 11]);
const LOOK = 'mempalace schedule status';

export async function checkSchedule({ env, folders }: DoctorContext): Promise<Found[]> {
  return scheduleFindings(await scheduleStatus({ env, folders }));
}

/** A schedule is optional: without one nothing is wrong. */
export function scheduleFindings(statuses: readonly ScheduleStatus[]): Found[] {
  const installed = statuses.filter((each) => each.installed);
  if (installed.length === 0) return [ok('none is installed (mempalace schedule install makes one)')];
  return installed.flatMap(({ scheduler, job, active, problems, exitCode, result, next, last }) => {
    const who = `${job} by ${scheduler}`;
    const found = problems.map((problem) => warn(`${who}: ${problem}`, LOOK));
    if (active === false) {
      const cure = problems.length > 0 ? LOOK : 'mempalace schedule install';
      found.push(warn(`${who} is installed, and will not run`, cure));
    }
    if (exitCode !== null && !FINE.has(exitCode))
      found.push(warn(`${who}: its last run ended with ${result ?? exitCode} (${exitCode})`, LOOK));
    if (found.length > 0) return found;
    const times = [
      next === null ? '' : `, next ${dayOfMoment(next)}`,
      last === null ? '' : `, last ${dayOfMoment(last)}${result === null ? '' : ` (${result})`}`,
    ];
    return [ok(who + times.join(''))];
  });
}

/** Feeders, and how the user types them. */
const FEEDERS: readonly [string, string][] = [
  ['mempalace-docs', 'mempalace-docs <dir>'],
  ['mempalace-session', 'mempalace-session --since'],
];
const DAY_MS = 86_400_000;

export async function checkRuns({ palace: folder, usable, now, holder }: DoctorContext): Promise<Found[]> {
  if (!usable) return [];
  const { Palace } = await import('../../store/index.js');
  const runs = Palace.look(folder, (palace) => palace.runs.byCommand());
  return runFindings(runs, now, holder);
}

/**
 * A run that left something out (exit 3) counts as a success. A feeder that never ran is not reported.
 *
 * @param now epoch milliseconds
 * @param holder the run that has the run lock
 */
export function runFindings(
  runs: readonly CommandRuns[],
  now: number,
  holder?: Pick<LockHolder, 'command' | 'since'>,
): Found[] {
  return FEEDERS.flatMap(([command, typed]) => {
    const run = runs.find((each) => each.command === command);
    if (run === undefined) return [];
    const { doneMs, lastMs, lastExitCode: code } = run;
    if (holder?.command === command && code === null)
      return [ok(`${command}: running since ${holder.since.slice(0, 16).replace('T', ' ')} UTC`)];
    const why = `${typed} says why, or continues`;
    if (doneMs === null) return [warn(`${command} has never succeeded`, why)];
    const done = `${command}: ${dayOf(doneMs)}`;
    const days = Math.floor((now - doneMs) / DAY_MS);
    if (days > STALE_DAYS) return [warn(`${done}, ${days} days ago`, typed)];
    if (code === null || code === 0 || code === 3 || lastMs <= doneMs) return [ok(done)];
    return [warn(`${done}; its last run did not succeed (exit ${code})`, why)];
  });
}
