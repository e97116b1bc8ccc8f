import { agentOf } from '../../knowledge/diary/agent.js';
import {
  addTask as add,
  dropTask as drop,
  finishTask as finish,
  takeTask as take,
} from '../../knowledge/tasks/tasks.js';
import type { Palace, RunStart } from '../../store/index.js';
import type { Input, Output, ServiceCall } from '../contract/index.js';
import type { Resources } from '../palace/resources.js';
import { recording, write, writerOf } from '../palace/writer.js';

export function tasks(palace: Palace, { agent, states, ...page }: Input<'tasks'>): Output<'tasks'> {
  const named = agent === undefined ? undefined : agentOf(agent);
  return palace.snapshot(() => palace.tasks.list({ states, agent: named }, page));
}

export async function addTask(
  resources: Resources,
  task: Input<'addTask'>,
  call: ServiceCall,
): Promise<Output<'addTask'>> {
  const sanitiser = await writerOf(resources).sanitiser();
  return write(resources, call, (palace, run) =>
    add(palace, { ...task, addedBy: call.agent }, { sanitiser, ...writing(palace, run) }),
  );
}

export async function takeTask(
  resources: Resources,
  wanted: Input<'takeTask'>,
  call: ServiceCall,
): Promise<Output<'takeTask'>> {
  const task = await write(resources, call, async (palace, run) =>
    take(palace, wanted, writing(palace, run)),
  );
  return { task: task ?? null };
}

export async function finishTask(
  resources: Resources,
  done: Input<'finishTask'>,
  call: ServiceCall,
): Promise<Output<'finishTask'>> {
  const sanitiser = await writerOf(resources).sanitiser();
  return write(resources, call, (palace, run) =>
    finish(palace, done, { sanitiser, ...writing(palace, run) }),
  );
}

export async function dropTask(
  resources: Resources,
  { id }: Input<'dropTask'>,
  call: ServiceCall,
): Promise<Output<'dropTask'>> {
  return write(resources, call, async (palace, run) => ({ task: drop(palace, id, recording(palace, run)) }));
}

const writing = (palace: Palace, run: RunStart) => ({ now: new Date(), record: recording(palace, run) });
