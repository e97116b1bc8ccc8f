import type { CallToolResult, ListToolsResult } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { jsonText } from '../core/outside.js';
import { usesMeaning } from '../search/options.js';
import { type Caller, invoke, type Shared } from './invoke.js';
import { PalaceHandle } from './palace-handle.js';
import type { Tool } from './tool.js';
import { WarmModel } from './warm-model.js';
import { WriteLog } from './write-log.js';

type ListedTool = ListToolsResult['tools'][number];

interface ToolboxOptions extends Pick<Shared, 'host' | 'agent' | 'deadlineMs'> {
  tools: readonly Tool[];
  readOnly: boolean;
  onTrouble: (error: unknown) => void;
}

/** The tools of a server with their shared state: the open palace, the model, the write log. */
export class Toolbox {
  readonly #tools: ReadonlyMap<string, Tool>;
  readonly #shared: Shared;
  #list: ListedTool[] | undefined;

  constructor({ tools, readOnly, onTrouble, ...shared }: ToolboxOptions) {
    const { host } = shared;
    const allowed = tools.filter(({ writes = false }) => !(readOnly && writes));
    this.#tools = new Map(allowed.map((tool) => [tool.name, tool]));
    this.#shared = {
      ...shared,
      handle: new PalaceHandle(host.folder, readOnly),
      model: new WarmModel((identity) => host.embedder(identity), {
        forSearch: usesMeaning(host.config.search.rank),
      }),
      log: readOnly ? undefined : new WriteLog(host.folder, onTrouble),
    };
  }

  /** Begins to load the palace's model, if there is a palace and searches use the model. */
  warm(): void {
    try {
      this.#shared.model.now(this.#shared.handle.get().model);
    } catch {
      // The first call reports what is wrong with the palace.
    }
  }

  list(): ListedTool[] {
    this.#list ??= [...this.#tools.values()].map(listed);
    return this.#list;
  }

  find(name: string): Tool | undefined {
    return this.#tools.get(name);
  }

  /** Never throws: an error is a result too. */
  async call(tool: Tool, args: unknown, caller: Caller): Promise<CallToolResult> {
    const { ok, result } = await invoke(tool, args, this.#shared, caller);
    const content: CallToolResult['content'] = [{ type: 'text', text: jsonText(result) }];
    // Clients with the first SDK validate structured content against the tool's schema, even that of an error.
    return ok ? { content, structuredContent: result } : { content, isError: true };
  }

  async close(): Promise<void> {
    this.#shared.handle.close();
    this.#shared.log?.close();
    await this.#shared.model.close();
  }
}

export function listed(tool: Tool): ListedTool {
  const { name, title, description, writes = false, destructive = false, idempotent = !writes } = tool;
  return {
    name,
    title,
    description,
    inputSchema: jsonSchema(tool.input, 'input'),
    outputSchema: jsonSchema(tool.output, 'output'),
    annotations: {
      title,
      readOnlyHint: !writes,
      destructiveHint: destructive,
      idempotentHint: idempotent,
      openWorldHint: false,
    },
  };
}

/** Without keywords that are useless to an agent but cost context. */
function jsonSchema(schema: z.ZodObject, io: 'input' | 'output'): ListedTool['inputSchema'] {
  const { $schema: _, ...rest }: Record<string, unknown> = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override({ jsonSchema }) {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  return { ...rest, type: 'object' };
}
