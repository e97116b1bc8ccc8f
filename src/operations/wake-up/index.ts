/** What an agent is told at the start of a session. */
import * as z from 'zod/mini';
import { snakeNamed } from '../../core/case.js';
import { UserError } from '../../core/errors.js';
import { PRIORITIES } from '../../core/importance.js';
import { line } from '../../core/outside.js';
import { estimateTokens } from '../../core/tokens.js';
import { agentOf } from '../../knowledge/diary/agent.js';
import type { WakeUp } from '../../reading/wake-up.js';
import { OutsideWing, ownWing } from '../../service/contract/outside.js';
import {
  agentHere,
  type Client,
  count,
  day,
  drawerId,
  field,
  name,
  share,
  text,
  wing,
  within,
} from '../fields.js';
import { operation } from '../operation.js';
import { type Start, start } from './schema.js';
import { startIn } from './start.js';

/** Least useful length. */
const LEAST_TOKENS = 50;
const MOST_TOKENS = 100_000;

const tokens = () => z.optional(z.int().check(z.minimum(LEAST_TOKENS)));

interface Named {
  wing?: string;
  folder?: string;
  everywhere?: boolean;
}

/** @throws UserError `usage` if a user at a terminal names several places */
async function startOf(client: Client, { wing, folder, everywhere = false }: Named): Promise<Start> {
  const { config, home, isAgent = false } = client;
  const isUser = home !== undefined;
  const given = { '--wing': wing, '--folder': folder, '--everywhere': everywhere || undefined };
  const [one, other] = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : name));
  if (isUser && one !== undefined && other !== undefined)
    throw new UserError('usage', `${one} and ${other} exclude each other`);
  const isWhole = folder === undefined && (wing !== undefined || everywhere);
  const here = isWhole ? [] : folder === undefined ? await client.folders() : [folder];
  const folders = isWhole || (isAgent && here.length === 0) ? undefined : here;
  return startIn(folders, config, {
    ...(wing !== undefined && { wing }),
    ...(isUser && { env: client.env, or_all: one === undefined }),
  });
}

function document() {
  const held = { sources: count, drawers: count };
  const memories = z.array(
    z.strictObject({
      kind: z.enum(['drawer', 'document', 'session', 'diary']),
      drawer_id: drawerId,
      source_key: z.string(),
      session_id: name,
      wing: z.string(),
      room: z.string(),
      title: name,
      directory: name,
      date: day,
      priority: z.nullable(z.enum(PRIORITIES)),
      pinned: z.boolean(),
      score: share,
      text: z.string(),
      cut: z.boolean(),
    }),
  );
  const error = z.strictObject({
    tool: z.string(),
    subject: name,
    message: z.string(),
    sessions: count,
    fix: z.nullable(z.strictObject({ edits: z.array(z.string()) })),
    drawer_id: drawerId,
  });
  return z.strictObject({
    wing: name,
    budget: count,
    tokens: count,
    text: z.string(),
    identity: name,
    important: memories,
    errors: z.array(error),
    diary: memories,
    sessions: memories,
    holdings: z.array(z.strictObject({ name: z.string(), ...held })),
    elsewhere: z.nullable(z.strictObject({ projects: count, ...held })),
  });
}
type Document = z.output<ReturnType<typeof document>>;

function toldTo({ text, tokens, important, errors, diary, sessions }: Document, { identity }: Start) {
  const drawer_ids = [...important, ...errors, ...diary, ...sessions].map(({ drawer_id }) => drawer_id);
  const notes = identity?.trouble === undefined ? {} : { notes: [`identity: ${identity.trouble}`] };
  return { text, tokens, drawer_ids, ...notes };
}

export const waking = {
  wakeUp: operation({
    name: 'wake-up',
    summary: 'Print context for the start of a session, in few tokens',
    quotes: true,
    reads: true,
    inWing({ wing: named, start, ...input }, wing) {
      if (start.around !== undefined && start.around.folders.length > 0)
        throw new OutsideWing(wing, 'a folder is compared with all projects', 'leave the folder out');
      // To name a cold wing is to ask for it.
      const without = start.without.filter((cold) => cold.wing === wing && cold.room !== undefined);
      // Not what the user wrote about himself, nor errors of sessions wherever they are filed.
      const own = { ...start, without, around: undefined, identity: undefined, patterns: false };
      return { ...input, within: ownWing(named, wing), start: own };
    },
    input: () =>
      z.strictObject({
        wing: wing('only this wing, and sessions in the folders of its projects'),
        folder: field(z.optional(text()), 'what a session in this folder is told', {
          cli: '--folder <dir>',
          path: 'whole',
          usually: 'the current folder',
          tool: null,
        }),
        everywhere: field(z._default(z.boolean(), false), 'from the whole palace', {
          agents: 'from all projects',
        }),
        agent: field(z.optional(text()), 'only the diary of this agent, from any wing', {
          usual: agentHere,
          usually: '$MEMPALACE_AGENT_NAME, else all diaries',
          tool: 'agent_name',
          agents: 'only the diary of this agent',
        }),
        tokens: field(tokens(), 'print at most this many tokens', {
          usually: '900, or wake_up.tokens in the configuration',
          most: MOST_TOKENS,
          tool: null,
        }),
        max_tokens: field(tokens(), 'tokens of the answer to an agent, with the ids', {
          most: MOST_TOKENS,
          cli: null,
          address: null,
          agents: '',
        }),
        start: field(start(), 'what the program that asks knows', { hidden: true, usual: startOf }),
        within: within(),
      }),
    output: document,
    async run({ tokens, max_tokens, agent, start, wing, within }, { handle }) {
      const { wakeUp } = await import('./told.js');
      const atMost = (budget: number): Document => {
        const asked = { ...start, tokens: budget, agent: agent && agentOf(agent), wing, within };
        const { identity, elsewhere, ...told } = wakeUp(handle.get(), asked);
        return {
          wing: told.wing ?? null,
          budget,
          tokens: told.tokens,
          text: told.text,
          identity: identity === '' ? null : identity,
          important: told.important.map(memoryOf),
          errors: told.errors.map((error) => snakeNamed(error)),
          diary: told.diary.map(memoryOf),
          sessions: told.sessions.map(memoryOf),
          holdings: told.holdings,
          elsewhere: elsewhere ?? null,
        };
      };
      const whole = atMost(max_tokens ?? tokens ?? start.tokens);
      const spent = estimateTokens(JSON.stringify(toldTo(whole, start)));
      if (max_tokens === undefined || spent <= max_tokens) return whole;
      // The ids count too: the text gets its share.
      return atMost(Math.max(LEAST_TOKENS, Math.floor((max_tokens * max_tokens) / spent)));
    },
    isEmpty: ({ holdings }) => holdings.length === 0,
    text(document, terminal, { start: { identity } }) {
      const { json } = terminal.options;
      if (identity?.trouble !== undefined)
        terminal.warn(`the identity file cannot be read: ${line(identity.trouble)}`);
      else if (identity?.text === undefined && terminal.io.stderr.isTTY && !json)
        terminal.note(
          `hint: describe yourself and your work in ${line(identity?.file ?? '')}; wake-up prints it first`,
        );
      if (!json) terminal.io.stdout.write(document.text);
    },
    address: 'What an agent is told at the start of a session',
    tool: {
      name: 'mempalace_wake_up',
      title: 'What to know at the start',
      description:
        'What to know at the start of a session, in few tokens: who the user is, and of the project in your folder memories marked as important, the last diary entries and sessions. Call it once, first.',
      core: true,
      answer: (document, _, { start }) => toldTo(document, start as Start),
    },
  }),
};

function memoryOf({ day: date, title, ...memory }: WakeUp['diary'][number]) {
  return snakeNamed({ ...memory, title: title === '' ? null : title, date });
}
