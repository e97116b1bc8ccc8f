import { z } from 'zod';
import { taskDocument } from '../../presentation/tasks.js';
import { defineAction } from '../action.js';
import { name } from '../parameters.js';

const id = z.int().min(1).describe('of the task');

const add = defineAction({
  path: '/task/add',
  command: 'mempalace task add',
  summary: 'Adds a task for agents',
  body: z.strictObject({
    text: z.string().trim().min(1).describe('what is to be done'),
    for: name('the only agent that may take it'),
  }),
  documents: ['task'],
  async act({ text, for: agent }, { service, call }) {
    return taskDocument(await service.addTask({ text, agent }, call));
  },
});

const take = defineAction({
  path: '/task/take',
  command: 'mempalace task take',
  summary: 'Takes a task for an agent; `task` is null if there is none',
  body: z.strictObject({
    id: id.describe('of the task; default: the oldest that the agent may take').optional(),
    agent: z.string().min(1).describe('who takes it'),
  }),
  documents: ['task'],
  async act(body, { service, call }) {
    return taskDocument(await service.takeTask(body, call));
  },
  logged: ({ id, agent: by }) => ({ id, by }),
});

const done = defineAction({
  path: '/task/done',
  command: 'mempalace task done',
  summary: 'Finishes a task',
  body: z.strictObject({
    id,
    agent: name('who finished it; default: the user'),
    result: name('what came of it'),
  }),
  documents: ['task'],
  async act(body, { service, call }) {
    return taskDocument(await service.finishTask(body, call));
  },
  logged: ({ id, agent: by }) => ({ id, by }),
});

const drop = defineAction({
  path: '/task/drop',
  command: 'mempalace task drop',
  summary: 'Deletes a task',
  body: z.strictObject({ id }),
  documents: ['task'],
  async act(body, { service, call }) {
    return taskDocument(await service.dropTask(body, call));
  },
  logged: (body) => body,
});

export const deciding = [add, take, done, drop];
