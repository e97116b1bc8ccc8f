/** Fields that several operations take or answer. */

import * as z from 'zod/mini';
import en from 'zod/v4/locales/en.js';
import type { Config } from '../config/index.js';
import { agentIn } from '../core/agent-name.js';
import { UserError } from '../core/errors.js';
import { PRIORITIES } from '../core/importance.js';
import { wingProblem } from '../core/wing.js';

// Its messages tell a missing value from a wrong one.
z.config(en());

/** What the program that asks knows, and the palace does not. */
export interface Client {
  readonly config: Config;
  /** Of a command; empty for tools and addresses, since a server's own is not that of its clients. */
  readonly env: NodeJS.ProcessEnv;
  /** False where nobody waits for a model that is being loaded. */
  readonly patient?: boolean;
  /** Of a user at a terminal, whose paths are of this machine. */
  readonly home?: string;
  /** The folders that its user works in, absolute; empty where nobody says. */
  folders(): Promise<readonly string[]> | readonly string[];
  /** Folder of the staged files of this machine. */
  readonly cache?: string | undefined;
  /** Of a tool. */
  readonly isAgent?: true;
}

/** What the channels say about a field of an input. */
export interface About {
  /** For people. */
  description: string;
  /** Its form in a terminal, where it is not `--its-name <n>`: `<entity>`, `[new]`, `<id> <other>`; null: not there. */
  cli?: string | null;
  /** The flag that says no, where it is not `--no-its-name`, and what is said about it. */
  off?: readonly [form: string, description: string];
  /** What agents are told instead. */
  agents?: string;
  /** Its name in the tool where that is another one, or those of the parts of a tuple; null: agents do not set it. */
  tool?: string | readonly string[] | null;
  /** The largest number that addresses and tools take: their answers are limited. */
  most?: number;
  /** Its value at a terminal where the user gives none, if it is another one there. */
  atTerminal?: unknown;
  /** Only people at a terminal set it. */
  terminalOnly?: true;
  /** Its name in an address where that is another one; null: addresses do not take it. */
  address?: string | null;
  /** Its value where the user gives none, from what the program that asks knows, and the fields before it. */
  usual?: (client: Client, input: Record<string, unknown>) => unknown;
  /** Where `usual` has it from, for people at a terminal. */
  usually?: string;
  /** Only the program that asks sets it. */
  hidden?: true;
  /** A day or a second; in a terminal and in an address also a day in words. */
  moment?: true;
  /** A path, or the end of one: at a terminal, `~` is the home folder, and a whole path is absolute. */
  path?: 'whole' | 'end';
  /** At a terminal, `-` or nothing is read from stdin; what a user is told who pipes nothing in. */
  piped?: string;
  /** What agents give, where that has other bounds or another default. */
  ofAgents?: () => z.ZodMiniType;
  /** What addresses and agents give, where that is another. */
  afar?: () => z.ZodMiniType;
  /** Former names of values, which a terminal takes still. */
  formerly?: Readonly<Record<string, string>>;
  /** At a terminal, it is asked once per line of stdin, which is this field; the documents are printed. */
  each?: string;
  /** Ids: in a terminal also the numbers of hits that the last search printed there. */
  hits?: true;
  /** A day: also 3d, 2w, 6mo, or words. */
  day?: true;
}

export const ABOUT = new WeakMap<object, About>();

/** A field with what is said about it. */
export function field<Schema extends z.ZodMiniType>(
  schema: Schema,
  description: string,
  more: Omit<About, 'description'> = {},
): Schema {
  ABOUT.set(schema, { description, ...more });
  return schema;
}

export const count = z.int().check(z.minimum(0));
export const share = z.number().check(z.minimum(0), z.maximum(1));
export const name = z.nullable(z.string());
export const instant = z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}Z)?$/));
export const day = z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}$/));
export const drawerId = z.string().check(z.regex(/^drawer_[0-9a-f]{24}$/));
/** Redactions by kind. */
export const redacted = z.record(z.string(), count);

/** Rows of an answer, at most. */
export const MOST_ROWS = 1_000;

const rows = (usual: number, ...more: z.core.$ZodCheck<number>[]) =>
  z._default(z.int().check(z.minimum(1), ...more), usual);

/** @param ofAgents the default and the most for agents, where they are others */
export const limit = (
  usual: number,
  description: string,
  agents = 'at most',
  ofAgents?: readonly [usual: number, most: number],
  more: Omit<About, 'description'> = {},
) =>
  field(rows(usual), description, {
    agents,
    most: MOST_ROWS,
    ...(ofAgents && { ofAgents: () => rows(ofAgents[0], z.maximum(ofAgents[1])) }),
    ...more,
  });
export const offset = (description: string, agents = description, more: Omit<About, 'description'> = {}) =>
  field(z._default(z.int().check(z.minimum(0)), 0), description, { agents, ...more });
/** Text that is not empty. */
export const text = () => z.string().check(z.minLength(1));
/** Longest name, path or id, UTF-16 units: they come back in answers. */
export const LONGEST_NAME = 4_096;
export const named = () => text().check(z.maxLength(LONGEST_NAME));
export const moment = (description: string, more: Omit<About, 'description'> = {}) =>
  field(z.optional(text()), description, {
    moment: true,
    agents: 'YYYY-MM-DD or YYYY-MM-DDTHH:MM:SSZ',
    ...more,
  });
export const redact = (description = 'store secrets unchanged') =>
  field(z._default(z.boolean(), true), description, { cli: '--no-redact', terminalOnly: true });

const condition = (description: string, more: Omit<About, 'description'> = {}) =>
  field(z.optional(named()), description, more);
/** The name of a wing, in NFC. */
const wingName = () =>
  named().check(
    z.normalize('NFC'),
    z.refine((name) => wingProblem(name) === undefined, {
      error: ({ input }) => `not a wing: ${wingProblem(String(input))}`,
    }),
  );
export const wing = (description = 'only in this wing', agents = 'only this wing') =>
  field(z.optional(wingName()), description, { agents });
export const room = (more: Pick<About, 'address'> = {}) =>
  condition('only in this room', { agents: 'only this room', ...more });
export const type = () =>
  condition('only of this type (see `mempalace search --help`)', { cli: '--type <type>' });
export const priority = (more: Pick<About, 'address'> = {}) =>
  field(z.optional(z.enum(PRIORITIES)), 'only what has this priority', {
    cli: '--priority <p>',
    agents: '',
    ...more,
  });
export const since = () =>
  condition('not older (see `mempalace search --help`)', { cli: '--since <when>', day: true });

/** Folders of who asks: a name may also be a path in one of them. */
export const folders = () =>
  field(z._default(z.array(z.string()), []), 'the folders of who asks', {
    hidden: true,
    usual: (client) => client.folders(),
  });
/** The same, and the linked worktrees of git that contain them. */
export const located = () => ({
  folders: z.array(z.string()),
  locations: z.array(
    z.strictObject({
      folder: z.string(),
      worktree: z.optional(z.strictObject({ root: z.string(), main: z.string() })),
    }),
  ),
});
/** The only wing that exists for who asks. */
export const within = () => field(z.optional(z.string()), 'the only wing', { hidden: true });
/** The agent of the program that asks. */
export const agentHere = ({ env }: Client): string | undefined => agentIn(env);

/** The agent that acts. @param who it is, as an error says it */
export const actor = (description: string, who: string, more: Omit<About, 'description'> = {}) =>
  field(text(), description, {
    cli: '--agent <name>',
    tool: 'agent_name',
    agents: 'your name, always the same',
    usually: '$MEMPALACE_AGENT_NAME',
    usual(client) {
      const agent = agentHere(client);
      if (agent !== undefined) return agent;
      throw new UserError('usage', "required option '--agent <name>' not specified", {
        hint: `--agent <name>, or MEMPALACE_AGENT_NAME, names the ${who}`,
      });
    },
    ...more,
  });
