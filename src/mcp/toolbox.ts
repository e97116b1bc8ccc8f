import type { CallToolResult, ListToolsResult } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { jsonText } from '../core/outside.js';
import { ABOUT } from '../operations/fields.js';
import { refusingUnknownNames } from '../operations/known-names.js';
import { usesMeaning } from '../search/options.js';
import { confinedTo } from '../service/confined/index.js';
import type { Models } from '../service/palace/models.js';
import { type SqliteService, sqliteService } from '../service/sqlite/index.js';
import { WarmModel } from '../service/sqlite/warm-model.js';
import { type Caller, invoke, type Shared } from './invoke.js';
import type { Host, Tool } from './tool.js';
import { WriteLog } from './write-log.js';

type ListedTool = ListToolsResult['tools'][number];

interface EngineOptions {
  readOnly?: boolean;
  /** Makes a service for many clients of one for a single one. */
  shared?: (service: SqliteService, models: Models) => SqliteService;
  onTrouble: (error: unknown) => void;
}

/** What the tools of all clients share: the palace, the model, the write log. */
export class Engine {
  readonly service: SqliteService;
  readonly model: WarmModel;
  readonly log: WriteLog | undefined;

  constructor(
    readonly host: Host,
    { readOnly = false, shared = (service) => service, onTrouble }: EngineOptions,
  ) {
    this.model = new WarmModel((identity) => host.embedder(identity), {
      forSearch: usesMeaning(host.config.search.rank),
    });
    this.service = shared(
      sqliteService({
        folder: host.folder,
        readOnly,
        models: this.model,
        countsUses: !readOnly && host.config.uses === 'on',
        writer: readOnly ? undefined : host,
      }),
      this.model,
    );
    this.log = readOnly ? undefined : new WriteLog(host.folder, onTrouble);
  }

  /** Begins to load the palace's model, if there is a palace and searches use the model. */
  warm(): void {
    try {
      this.model.now(this.service.handle.get().model);
    } catch {
      // The first call reports what is wrong with the palace.
    }
  }

  async close(): Promise<void> {
    this.log?.close();
    await this.service.close();
  }
}

interface ToolboxOptions extends Omit<Shared, 'host' | 'service' | 'log'> {
  engine: Engine;
  tools: readonly Tool[];
  readOnly: boolean;
  /** The only one that exists for the client. */
  wing?: string | undefined;
}

/** The tools of one client. */
export class Toolbox {
  readonly #tools: ReadonlyMap<string, Tool>;
  readonly #shared: Shared;

  constructor({ engine, tools, readOnly, wing, ...client }: ToolboxOptions) {
    const { host, log } = engine;
    const service =
      wing === undefined ? refusingUnknownNames(engine.service) : confinedTo(wing, engine.service);
    const allowed = tools.filter(
      ({ writes = false, inWing = false }) => !(readOnly && writes) && (wing === undefined || inWing),
    );
    this.#tools = new Map(allowed.map((tool) => [tool.name, tool]));
    this.#shared = { ...client, host, service, log: readOnly ? undefined : log };
  }

  /** Names of the tools that change the palace. */
  get writes(): string[] {
    return [...this.#tools.values()].filter(({ writes = false }) => writes).map(({ name }) => name);
  }

  list(): ListedTool[] {
    return [...this.#tools.values()].map(listed);
  }

  find(name: string): Tool | undefined {
    return this.#tools.get(name);
  }

  /** Never throws: an error is a result too. */
  async call(tool: Tool, args: unknown, caller: Caller): Promise<CallToolResult> {
    const { ok, result } = await invoke(tool, args, this.#shared, caller);
    const content: CallToolResult['content'] = [{ type: 'text', text: jsonText(result) }];
    // Only a success has structured content: an error has none of its keys.
    return ok ? { content, structuredContent: result } : { content, isError: true };
  }
}

/** The schemas of all tools take longer to convert than a search takes. */
const listings = new WeakMap<Tool, ListedTool>();

/**
 * A tool as agents see it. Its output's schema is not listed: every agent would pay for it in each session, and none needs
 * it to read the answer.
 */
export function listed(tool: Tool): ListedTool {
  const known = listings.get(tool);
  if (known !== undefined) return known;
  const { name, title, description, writes = false, destructive = false, idempotent = false } = tool;
  const fresh: ListedTool = {
    name,
    title,
    description,
    inputSchema: inputSchema(tool.input),
    annotations: {
      readOnlyHint: !writes,
      ...(writes && { destructiveHint: destructive, idempotentHint: idempotent }),
    },
  };
  listings.set(tool, fresh);
  return fresh;
}

/** Bounds that no agent reaches by itself. */
const FAR = 1_000;

/** Without keywords that are useless to an agent but cost context: a value beyond a bound gets an error. */
function inputSchema(schema: z.core.$ZodType): ListedTool['inputSchema'] {
  const { $schema: _, ...rest }: Record<string, unknown> = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      const about = ABOUT.get(zodSchema);
      const told = about && (about.agents ?? about.description);
      if (told !== undefined && told !== '') jsonSchema.description = told;
      delete jsonSchema.maxLength;
      delete jsonSchema.minLength;
      if ((jsonSchema.maximum ?? 0) > FAR) delete jsonSchema.maximum;
      if (jsonSchema.type === 'integer') delete jsonSchema.minimum;
    },
  });
  return { ...rest, type: 'object' };
}
