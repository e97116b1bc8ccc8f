import type { Pi, PiContext, PiEvent, PiTool } from '../../contrib/pi/pi-api.js';

type Handler = (event: PiEvent, context: PiContext) => unknown;

/** What the extension sees of pi: of 0.73, or with `native` of 1.5. */
export class FakePi implements Pi {
  readonly tools: PiTool[] = [];
  readonly commands = new Map<string, (args: string, context: PiContext) => Promise<void>>();
  readonly servers: unknown[] = [];
  readonly said: string[] = [];
  readonly told: string[] = [];
  readonly #handlers = new Map<string, Handler[]>();
  registerMcpServer?: NonNullable<Pi['registerMcpServer']>;
  status: string | undefined;

  constructor({ native = false } = {}) {
    if (native) this.registerMcpServer = (name, config) => void this.servers.push({ name, ...config });
  }

  on(event: string, handler: Handler): void {
    this.#handlers.set(event, [...(this.#handlers.get(event) ?? []), handler]);
  }

  registerTool(tool: PiTool): void {
    this.tools.push(tool);
  }

  registerCommand(name: string, { handler }: Parameters<Pi['registerCommand']>[1]): void {
    this.commands.set(name, handler);
  }

  getAllTools() {
    return this.tools;
  }

  sendUserMessage(text: string): void {
    this.told.push(text);
  }

  context(session: string, file?: string): PiContext {
    return {
      hasUI: true,
      cwd: process.cwd(),
      ui: {
        notify: (text) => void this.said.push(text),
        setStatus: (_, text) => {
          this.status = text;
        },
      },
      sessionManager: { getSessionId: () => session, getSessionFile: () => file },
    };
  }

  /** The results of the handlers, one after the other as pi calls them. */
  async emit(name: string, context: PiContext, event: PiEvent = {}): Promise<unknown[]> {
    const results = [];
    for (const handler of this.#handlers.get(name) ?? []) results.push(await handler(event, context));
    return results;
  }

  tool(name: string): PiTool {
    const tool = this.tools.find((each) => each.name === name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    return tool;
  }

  async call(name: string, args: Record<string, unknown>, signal?: AbortSignal): Promise<string> {
    const { content } = await this.tool(name).execute('1', args, signal, undefined, this.context('s'));
    return content.map(({ text = '' }) => text).join('\n');
  }
}
