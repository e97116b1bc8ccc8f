import { agentOf } from '../../knowledge/diary/agent.js';
import {
  addTask as add,
  dropTask as drop,
  finishTask as finish,
  takeTask as take,
} from '../../knowledge/tasks/tasks.js';
import type { Palace, RunStart } from '../../store/index.js';
import type { Input, Output, ServiceCall } from '../contract/index.js';
import type { Owned } from './owned.js';
import { recording } from './recording.js';
import { write, writerOf } from './writer.js';

export function tasks(palace: Palace, { agent, states, ...page }: Input<'tasks'>): Output<'tasks'> {
  const named = agent === undefined ? undefined : agentOf(agent);
  return palace.snapshot(() => palace.tasks.list({ states, agent: named }, page));
}

export async function addTask(
  owned: Owned,
  task: Input<'addTask'>,
  call: ServiceCall,
): Promise<Output<'addTask'>> {
  const sanitiser = await writerOf(owned).sanitiser();
  return write(owned, call, (palace, run) =>
    add(palace, { ...task, addedBy: call.agent }, { sanitiser, ...writing(palace, run) }),
  );
}

export async function takeTask(
  owned: Owned,
  wanted: Input<'takeTask'>,
  call: ServiceCall,
): Promise<Output<'takeTask'>> {
  const task = await write(owned, call, async (palace, run) => take(palace, wanted, writing(palace, run)));
  return { task: task ?? null };
}

export async function finishTask(
  owned: Owned,
  done: Input<'finishTask'>,
  call: ServiceCall,
): Promise<Output<'finishTask'>> {
  const sanitiser = await writerOf(owned).sanitiser();
  return write(owned, call, (palace, run) => finish(palace, done, { sanitiser, ...writing(palace, run) }));
}

export async function dropTask(
  owned: Owned,
  { id }: Input<'dropTask'>,
  call: ServiceCall,
): Promise<Output<'dropTask'>> {
  return write(owned, call, async (palace, run) => ({ task: drop(palace, id, recording(palace, run)) }));
}

const writing = (palace: Palace, run: RunStart) => ({ now: new Date(), record: recording(palace, run) });
