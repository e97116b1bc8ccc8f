/**
 * What this extension uses of pi's API, as releases 0.73 to 1.5 have it. Members that only some releases have are
 * optional. Written down here, since the package of these types has two names and must not be imported at run time.
 */
export interface Pi {
  on(event: string, handler: (event: PiEvent, context: PiContext) => unknown): void;
  registerTool(tool: PiTool): void;
  registerCommand(
    name: string,
    command: { description: string; handler(args: string, context: PiContext): Promise<void> },
  ): void;
  /** From 0.99. */
  registerMcpServer?(name: string, config: McpServer): void;
  /** From 1.0. */
  registerToolRenderer?(
    resolver: (tool: string, next: () => unknown) => Pick<PiTool, 'renderCall' | 'renderResult'> | unknown,
  ): void;
  getAllTools(): { name: string }[];
  sendUserMessage(text: string, options?: { deliverAs?: 'steer' | 'followUp' }): void;
}

export interface PiEvent {
  /** Of `before_agent_start`. */
  systemPrompt?: string;
  /** `sections` from 0.86. */
  systemPromptOptions?: { sections?: Record<string, string> };
}

export interface PiContext {
  hasUI: boolean;
  cwd: string;
  ui: {
    notify(text: string, kind: 'info' | 'warning' | 'error'): void;
    setStatus(key: string, text: string | undefined): void;
  };
  sessionManager: { getSessionId(): string; getSessionFile(): string | undefined };
  /** Of commands. */
  waitForIdle?(): Promise<void>;
}

interface McpServer {
  command: string;
  args: string[];
  cwd: string;
  exposure: 'direct';
  description: string;
  /** Seconds. */
  timeout: number;
}

export interface ToolResult {
  content: { type: string; text?: string }[];
  details: unknown;
}

/** A theme's colours. */
export interface Theme {
  fg(colour: string, text: string): string;
  bold(text: string): string;
}

/** What the terminal shows; no line may be wider than `width`. */
export interface Component {
  render(width: number): string[];
  invalidate(): void;
}

export interface PiTool {
  name: string;
  label: string;
  description: string;
  promptSnippet: string;
  promptGuidelines?: string[];
  /** A JSON schema. */
  parameters: unknown;
  execute(
    id: string,
    args: Record<string, unknown>,
    signal: AbortSignal | undefined,
    onUpdate: unknown,
    context: PiContext,
  ): Promise<ToolResult>;
  renderCall(args: Record<string, unknown>, theme: Theme): Component;
  renderResult(
    result: ToolResult,
    options: { expanded: boolean; isPartial: boolean },
    theme: Theme,
  ): Component;
}
