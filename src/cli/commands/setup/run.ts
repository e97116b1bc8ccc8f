import { UserError } from '../../../core/errors.js';
import { AGENTS, agentNamed, agentsFound, placesOf } from '../../../setup/agents.js';
import { forget } from '../../../setup/apply.js';
import { FILE_STEPS } from '../../../setup/pieces.js';
import { planSetup, planUndo } from '../../../setup/plan.js';
import { readRecord, writeRecord } from '../../../setup/record.js';
import { confirm } from '../../app/confirm.js';
import { EXIT } from '../../app/exit.js';
import type { ProgramContext } from '../../app/runner.js';
import { fileChange, perform } from './change.js';
import { type SetupFlags, STEPS } from './command.js';
import { machineChanges, machineUndo } from './machine.js';
import { printDone, printPlan, printRemarks } from './print.js';

/** `mempalace setup` and `setup --undo`. */
export async function runSetup(context: ProgramContext, flags: SetupFlags, names: string[]): Promise<number> {
  const { terminal, config } = context;
  if (config.origins.get('palace') === '--palace')
    throw new UserError('usage', '--palace is not for setup: agents use the palace of the configuration', {
      hint: 'mempalace config set palace <folder>',
    });
  const undo = flags.undo === true;
  const steps = flags.only ?? STEPS;
  const places = placesOf(context);
  const chosen = names.map(agentNamed);
  const agents =
    chosen.length > 0
      ? AGENTS.filter((agent) => chosen.includes(agent))
      : undo
        ? AGENTS
        : agentsFound(places);
  if (agents.length === 0)
    terminal.note('no agent was found on this machine; name one: mempalace setup claude-code');
  const record = readRecord(context.folders);
  const wanted = { agents, steps: FILE_STEPS.filter((step) => steps.includes(step)), places, record };
  const machine = {
    context,
    record,
    steps,
    agents: chosen.length === 0 ? undefined : chosen.map(({ id }) => id),
    folder: process.cwd(),
    minMessages: flags.minMessages,
  };
  const planned = undo ? planUndo({ ...wanted, all: chosen.length === 0 }) : planSetup(wanted);
  const changes = [
    ...(await Promise.all(planned.map((each) => fileChange(each, record, context.folders)))),
    ...(undo ? (chosen.length === 0 ? machineUndo(machine) : []) : await machineChanges(machine)),
  ];

  const pending = changes.filter(({ doIt }) => doIt !== undefined);
  const { home } = context.folders;
  printPlan(changes, undo, home, terminal);
  if (pending.length === 0) terminal.say('nothing to change');
  const dry = flags.dryRun === true;
  const agreed = pending.length > 0 && !dry && (await confirm('Do this?', flags.yes, context, 'yes'));
  if (undo && !dry && (agreed || pending.length === 0)) {
    for (const each of planned) if (each.kind === 'kept' && each.why === undefined) forget(each.file, record);
    writeRecord(context.folders, record);
  }
  if (agreed) {
    for (const change of pending) await perform(change);
    printDone(pending, home, terminal);
    printRemarks(pending, undo, terminal);
  }
  context.answer({
    action: undo ? 'undo' : 'setup',
    agents: agents.map(({ id, name }) => ({ id, name })),
    changes: changes.map(({ agent, steps: parts, what, done, why, lines }) => ({
      agent: agent?.id ?? null,
      steps: parts,
      what,
      done: agreed || dry || done === 'unchanged' || done === 'skipped' ? done : 'not confirmed',
      why: why ?? null,
      difference: lines,
    })),
  });
  return changes.some(({ done }) => done === 'skipped') ? EXIT.incomplete : EXIT.done;
}
