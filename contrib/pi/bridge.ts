import { existsSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from './client.ts';
import type { ListedTool } from './connection.ts';
import { debugLog } from './debug.ts';
import { diaryPrompt } from './diary.ts';
import { type HookName, runHook } from './hook.ts';
import type { Pi, PiContext, PiEvent } from './pi-api.ts';
import { renderersOf } from './render.ts';
import { type Settings, settingsOf } from './settings.ts';

const NAME = 'mempalace';
/** What the server calls itself in the list of servers. */
const ABOUT = 'The memory palace: earlier sessions and project documents of this user, word for word';
/** The longest that a prompt waits for the tools; pi's own client waits as long. */
const READY_MS = 10_000;
/** After `agent_end`, for the retry that may follow, and for `agent_settled`, which replaces it from 0.80.4. */
const SETTLED_MS = 1_000;
/** pi's own client has no way to wait for ever. */
const LONGEST_S = 2_000_000;
/** Which instance serves which session: an extension that is linked and installed is loaded twice. */
const CLAIMS = Symbol.for('mempalace.pi.sessions');

/** Registers everything; starts nothing, since pi loads extensions for `--help`, too. */
export function bridge(pi: Pi, settings: Settings = settingsOf()): void {
  const own = new Bridge(pi, settings);
  const on = (name: string, work: (event: PiEvent, context: PiContext) => unknown) =>
    pi.on(name, async (event, context) => {
      try {
        return await work(event, context);
      } catch (error) {
        own.debug(`${name}: ${messageOf(error)}`);
        return undefined;
      }
    });
  on('session_start', (_, context) => own.begin(context));
  on('before_agent_start', (event) => own.tell(event));
  on('agent_end', (_, context) => own.settling(context));
  on('agent_settled', (_, context) => own.settled(context));
  on('session_compact', (_, context) => void own.compacted(context));
  on('session_shutdown', (_, context) => own.end(context));
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

class Bridge {
  debug: (line: string) => void = () => {};
  readonly #pi: Pi;
  readonly #settings: Settings;
  #session: string | undefined;
  #registered = false;
  #client: Client | undefined;
  /** Settles, and never rejects, when the tools are there or cannot be had. */
  #tools: Promise<void> = Promise.resolve();
  #wakeUp: Promise<void> = Promise.resolve();
  #context = '';
  #timer: NodeJS.Timeout | undefined;
  /** The size of the session's file when it was noted last. */
  #noted: number | undefined;
  #noting: Promise<void> = Promise.resolve();

  constructor(pi: Pi, settings: Settings) {
    this.#pi = pi;
    this.#settings = settings;
  }

  /** Some modes of pi report a start twice. Nothing is awaited: pi shows no typed key before. */
  begin(context: PiContext): void {
    const session = context.sessionManager.getSessionId();
    if (this.#session === session) return;
    this.#release();
    const claims = claimsOf();
    if (claims.has(session)) return;
    claims.set(session, this);
    this.#session = session;
    this.#noted = undefined;
    this.debug = debugLog(this.#settings, context);
    this.#fetch(session, context, isBegun(context) ? 'resume' : 'startup');
    if (this.#registered) return;
    this.#registered = true;
    this.#pi.registerCommand('mempalace-diary', {
      description: 'Let the agent write a diary entry about this session into the palace: [topic]',
      handler: (args, inCommand) => this.#diary(args, inCommand),
    });
    if (this.#pi.registerMcpServer === undefined) this.#tools = this.#ownTools(context);
    else this.#nativeTools(context);
  }

  /** The text of wake-up, in the system prompt of every run: never a message, which would be filed as the user's words. */
  async tell(event: PiEvent): Promise<{ systemPrompt: string } | undefined> {
    if (this.#session === undefined) return undefined;
    await within(READY_MS, Promise.all([this.#wakeUp, this.#tools]));
    if (this.#context === '') return undefined;
    const sections = event.systemPromptOptions?.sections;
    if (typeof sections !== 'object' || sections === null)
      return { systemPrompt: `${event.systemPrompt ?? ''}\n\n${this.#context}` };
    sections[NAME] = this.#context;
    return undefined;
  }

  settling(context: PiContext): void {
    clearTimeout(this.#timer);
    const file = context.sessionManager.getSessionFile();
    const { cwd } = context;
    const session = this.#session;
    this.#timer = setTimeout(() => void this.#noteFile('stop', session, file, cwd), SETTLED_MS);
    this.#timer.unref();
  }

  settled(context: PiContext): void {
    clearTimeout(this.#timer);
    void this.note('stop', context);
  }

  /** The text says where the session stood before the compaction. */
  compacted(context: PiContext): Promise<void> {
    if (this.#session !== undefined) this.#fetch(this.#session, context, 'compact');
    return this.note('precompact', context);
  }

  note(hook: HookName, context: PiContext): Promise<void> {
    return this.#noteFile(hook, this.#session, context.sessionManager.getSessionFile(), context.cwd);
  }

  async end(context: PiContext): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#session === undefined) return;
    const noted = this.note('session-end', context);
    context.ui.setStatus(NAME, undefined);
    this.#release();
    await Promise.all([noted, this.#client?.close()]);
  }

  #release(): void {
    const claims = claimsOf();
    if (this.#session !== undefined && claims.get(this.#session) === this) claims.delete(this.#session);
    this.#session = undefined;
  }

  #fetch(session: string, context: PiContext, source: 'startup' | 'resume' | 'compact'): void {
    this.#wakeUp = this.#fetchContext(session, context, source).catch((error) =>
      this.debug(messageOf(error)),
    );
  }

  async #fetchContext(session: string, context: PiContext, source: string): Promise<void> {
    const { cwd, ui, sessionManager } = context;
    const answer = await runHook(this.#settings.command, 'session-start', {
      session_id: session,
      transcript_path: sessionManager.getSessionFile(),
      cwd,
      source,
    });
    if (this.#session !== session) return;
    this.#context = typeof answer.context === 'string' ? answer.context.trim() : '';
    const { trouble } = answer;
    if (typeof trouble === 'string') this.debug(trouble);
    const state = this.#context === '' ? 'nothing filed yet' : 'remembers';
    ui.setStatus(NAME, typeof trouble === 'string' ? `${NAME}: ${trouble}` : `${NAME}: ${state}`);
  }

  /**
   * One file is noted at a time, and after a run of the agent only when it has grown. A compaction and the end are always noted,
   * even if the file has not grown since an earlier note: a checkpoint is made of them.
   */
  #noteFile(
    hook: HookName,
    session: string | undefined,
    file: string | undefined,
    cwd: string,
  ): Promise<void> {
    if (session === undefined || file === undefined) return Promise.resolve();
    this.#noting = this.#noting.then(async () => {
      // There is no file before the first answer, and none at all with --no-session.
      if (!existsSync(file)) return;
      const { size } = statSync(file);
      if (size === this.#noted && hook === 'stop') return;
      const { trouble } = await runHook(this.#settings.command, hook, {
        session_id: session,
        transcript_path: file,
        cwd,
      });
      if (trouble === undefined) this.#noted = size;
      else this.debug(`${hook}: ${String(trouble)}`);
    });
    return this.#noting;
  }

  /** pi 0.99 and later connect servers themselves, and again after they end. */
  #nativeTools({ cwd }: PiContext): void {
    const { server, agent, timeoutMs } = this.#settings;
    this.#pi.registerToolRenderer?.((tool, next) =>
      tool.startsWith(`mcp__${NAME}__`) ? renderersOf(shortNameOf(tool)) : next(),
    );
    this.#pi.registerMcpServer?.(NAME, {
      command: server,
      args: ['--agent', agent],
      cwd,
      exposure: 'direct',
      description: ABOUT,
      timeout: timeoutMs === 0 ? LONGEST_S : Math.max(1, Math.ceil(timeoutMs / 1_000)),
    });
  }

  async #ownTools({ cwd, hasUI, ui }: PiContext): Promise<void> {
    const client = new Client(this.#settings, cwd, (line) => this.debug(line));
    this.#client = client;
    try {
      const { tools, instructions } = await client.start();
      for (const [index, tool] of tools.entries())
        this.#register(tool, client, index === 0 ? instructions : '');
    } catch (error) {
      if (this.#session === undefined) return;
      this.debug(messageOf(error));
      if (hasUI) ui.notify(`pi goes on without the palace's tools: ${messageOf(error)}`, 'warning');
    }
  }

  #register(tool: ListedTool, client: Client, instructions: string): void {
    const { name, title = name, description = '', inputSchema } = tool;
    this.#pi.registerTool({
      name,
      label: title,
      description,
      promptSnippet: title,
      ...(instructions === '' ? {} : { promptGuidelines: [instructions] }),
      parameters: inputSchema,
      async execute(_id, args, signal) {
        const { content, isError } = await client.call(name, args, signal);
        if (isError === true) throw new Error(content.map(({ text = '' }) => text).join('\n'));
        return { content, details: {} };
      },
      ...renderersOf(shortNameOf(name)),
    });
  }

  async #diary(args: string, context: PiContext): Promise<void> {
    const tool = await this.#diaryTool();
    if (tool === undefined) {
      context.ui.notify('mempalace: the diary needs the tools of mempalace-mcp, which does not run', 'error');
      return;
    }
    await context.waitForIdle?.();
    this.#pi.sendUserMessage(diaryPrompt(tool, this.#settings.agent, args));
  }

  /** Waits for a server that is starting. */
  async #diaryTool(): Promise<string | undefined> {
    await within(READY_MS, this.#tools);
    for (const end = Date.now() + READY_MS; ; await sleep(100)) {
      const tool = this.#pi.getAllTools().find(({ name }) => name.endsWith('mempalace_diary_write'));
      if (tool !== undefined || this.#client !== undefined || Date.now() > end) return tool?.name;
    }
  }
}

/** Whether the session goes on: pi writes its file with the first answer, and calls --continue a start. */
function isBegun({ sessionManager }: PiContext): boolean {
  const file = sessionManager.getSessionFile();
  return file !== undefined && existsSync(file);
}

function claimsOf(): Map<string, unknown> {
  const all = globalThis as { [CLAIMS]?: Map<string, unknown> };
  all[CLAIMS] ??= new Map();
  return all[CLAIMS];
}

/** `mempalace_search` is shown as "palace search". */
const shortNameOf = (tool: string): string => tool.replace(/^(?:mcp__mempalace__)?mempalace_/, 'palace ');

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const over = new AbortController();
  const late = sleep(ms, undefined, { signal: over.signal, ref: false }).catch(() => {});
  await Promise.race([work, late]);
  over.abort();
}
