import { z } from 'zod';
import { agentOf } from '../../knowledge/diary/agent.js';
import { drawerDocument, piecesOf, sourceDocument } from '../../presentation/shown.js';
import { LEAST_TOKENS, wakeUpAsked, wakeUpDocument } from '../../presentation/wake-up.js';
import { flag, name, whole } from '../parameters.js';
import { defineRoute } from '../route.js';

const MOST_AROUND = 100;
const MOST_TOKENS = 100_000;

const show = defineRoute({
  path: '/show',
  command: 'mempalace show',
  summary: 'A whole source, or a drawer',
  query: z.strictObject({
    name: z.string().min(1).describe('id of a drawer; key, session, file or origin of a source'),
    radius: whole(0, MOST_AROUND, 'of a drawer: neighbours on each side').default(0),
  }),
  documents: ['showSource', 'showDrawer'],
  inWing: true,
  async answer({ name, radius }, { service, call }) {
    const found = await service.show({ name, paths: [], radius }, call);
    if (found.kind === 'drawer') return drawerDocument(found);
    return sourceDocument(found, piecesOf(found, service, call));
  },
});

const wakeUp = defineRoute({
  path: '/wake-up',
  command: 'mempalace wake-up',
  summary: 'What an agent is told at the start of a session',
  query: z.strictObject({
    wing: name('only this wing'),
    folder: name('in place of a wing: what a session in this folder is told, absolute'),
    everywhere: flag('from the whole palace; default: what a session outside all projects is told'),
    agent: name('only the diary of this agent'),
    tokens: whole(LEAST_TOKENS, MOST_TOKENS, 'tokens at most').optional(),
  }),
  documents: ['wakeUp'],
  inWing: true,
  async answer({ agent, tokens, wing, folder, everywhere }, { service, config, call }) {
    const budget = tokens ?? config.wakeUp.tokens;
    const isWhole = wing !== undefined || everywhere === 'true';
    const folders = folder !== undefined ? [folder] : isWhole ? undefined : [];
    const asked = { wing, folders, tokens: budget, agent: agent === undefined ? undefined : agentOf(agent) };
    const { input } = wakeUpAsked(config, asked);
    return wakeUpDocument(await service.wakeUp(input, call), budget);
  },
});

export const finding = [show, wakeUp];
