import { line, plain, type Terminal } from '../../../terminal/terminal.js';
import type { Change } from './change.js';

/** Prints what would be done, with the changed lines; without --undo also what is as wanted, in one line per agent. */
export function printPlan(changes: readonly Change[], undo: boolean, home: string, terminal: Terminal): void {
  for (const change of changes) {
    if (change.doIt === undefined) continue;
    terminal.say(`would be ${rowOf(change, home)}`);
    for (const text of change.lines) terminal.say(`  ${plain(text)}`);
  }
  for (const change of changes) if (change.done === 'skipped') warn(change, home, terminal);
  if (undo) return;
  const isNamed = ({ done, why }: Change) => done === 'unchanged' && why !== undefined;
  for (const { what, why } of changes.filter(isNamed)) terminal.note(line(`${what}: ${why}`));
  const rest = changes.filter((each) => !isNamed(each));
  for (const agent of new Set(rest.map((each) => each.agent))) {
    const rows = rest.filter((each) => each.agent === agent);
    if (rows.every(({ done }) => done === 'unchanged'))
      terminal.say(
        `unchanged  ${agent?.name ?? 'this machine'}: ${rows.flatMap(({ steps }) => steps).join(', ')}`,
      );
  }
}

export function printDone(changes: readonly Change[], home: string, terminal: Terminal): void {
  for (const change of changes) {
    if (change.done === 'skipped') warn(change, home, terminal);
    else terminal.say(rowOf(change, home));
  }
}

/** What the user does now, for agents whose files were changed. */
export function printRemarks(
  changes: readonly Change[],
  undo: boolean,
  terminal: Pick<Terminal, 'say' | 'note'>,
): void {
  const made = changes.filter(({ done }) => done !== 'skipped');
  const agents = [...new Set(made.flatMap(({ agent }) => agent ?? []))];
  if (agents.length > 0)
    terminal.say(
      `Start ${agents.map(({ name }) => name).join(', ')} again: an agent reads these files only when it starts.`,
    );
  if (undo) return;
  for (const { agent, steps } of made)
    if (agent?.remark !== undefined && steps.includes('hooks')) terminal.note(agent.remark);
}

function rowOf({ agent, steps, what, done, why }: Change, home: string): string {
  const who = agent === undefined ? '' : `${agent.name}: `;
  const reason = why === undefined ? '' : `, ${why}`;
  return line(`${done.padEnd(9)}  ${who}${shortened(what, home)} (${steps.join(', ')})${reason}`);
}

/** @param change skipped; one without work was held back from the start */
function warn({ what, why, doIt }: Change, home: string, terminal: Terminal): void {
  const kept = doIt === undefined ? '; nothing of it was changed' : '';
  terminal.warn(line(`${shortened(what, home)}: ${why}${kept}`));
}

const shortened = (path: string, home: string): string =>
  path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
