/** The moments of a session at which a harness calls `mempalace hook run`. */
export const HOOKS = ['session-start', 'stop', 'subagent-stop', 'precompact', 'session-end'] as const;
export type Hook = (typeof HOOKS)[number];

/** Programs that call it. */
export const HARNESSES = ['claude-code', 'codex', 'opencode', 'kimi', 'pi'] as const;
export type Harness = (typeof HARNESSES)[number];

/** What a harness says of the session, as far as it is needed. */
export interface HookInput {
  sessionId: string | undefined;
  /** Absolute; opencode and Kimi CLI name none. */
  transcript: string | undefined;
  /** Absolute; of the sub-agent that stopped. */
  agentTranscript: string | undefined;
  cwd: string | undefined;
}

/**
 * Reads what a harness wrote. Claude Code and Codex name the same fields; Kimi and our opencode plugin name no
 * transcript. Fields of another type count as missing. Checked by hand: a schema library would cost a hook more
 * time than all the rest.
 *
 * @throws SyntaxError when it is not JSON
 */
export function readHookInput(text: string): HookInput {
  const json: unknown = JSON.parse(text);
  return {
    sessionId: textOf(json, 'session_id'),
    transcript: textOf(json, 'transcript_path'),
    agentTranscript: textOf(json, 'agent_transcript_path'),
    cwd: textOf(json, 'cwd'),
  };
}

function textOf(json: unknown, name: string): string | undefined {
  const value: unknown = typeof json === 'object' && json !== null ? Reflect.get(json, name) : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/**
 * What a harness takes for an answer. `{}` means "go on" to all of them. Only the start of a session takes text:
 * Claude Code and Codex refuse `hookSpecificOutput` of any other of these hooks.
 *
 * @param context what the agent should know; undefined where there is nothing to be told
 * @returns undefined where nothing is to be printed: `/compact` shows the user what a hook printed
 */
export function hookOutput(
  hook: Hook,
  harness: Harness | undefined,
  context: string | undefined,
): Record<string, unknown> | undefined {
  if (hook === 'precompact' && (harness === 'claude-code' || harness === 'codex')) return undefined;
  if (hook !== 'session-start' || harness === undefined || context === undefined || context === '') return {};
  if (harness === 'opencode' || harness === 'pi') return { context };
  const field = harness === 'kimi' ? 'message' : 'additionalContext';
  return { hookSpecificOutput: { hookEventName: 'SessionStart', [field]: context } };
}
