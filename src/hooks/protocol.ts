/** Events of a session for which an agent program calls `mempalace hook run`. */
export const HOOKS = [
  'session-start',
  'user-prompt',
  'stop',
  'stop-failure',
  'subagent-stop',
  'precompact',
  'postcompact',
  'session-end',
] as const;
export type Hook = (typeof HOOKS)[number];

export const HARNESSES = ['claude-code', 'codex', 'opencode', 'kimi', 'pi'] as const;
export type Harness = (typeof HARNESSES)[number];

export interface HookInput {
  sessionId: string | undefined;
  /** Absolute; opencode and Kimi CLI send none. */
  transcript: string | undefined;
  /** The transcript of the sub-agent that stopped, absolute. */
  agentTranscript: string | undefined;
  cwd: string | undefined;
  /** What began the session: `startup`, `resume`, `clear`, `compact`. */
  source: string | undefined;
  /** What the user has sent. */
  prompt: string | undefined;
}

/**
 * Parses a hook's input. Claude Code and Codex send the same fields; Kimi and our opencode plugin send no transcript.
 * Fields of another type count as missing. Checked by hand: loading a schema library would take longer than the rest
 * of the hook.
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
    source: textOf(json, 'source'),
    prompt: textOf(json, 'prompt'),
  };
}

function textOf(json: unknown, name: string): string | undefined {
  const value: unknown = typeof json === 'object' && json !== null ? Reflect.get(json, name) : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/**
 * The hook's answer. `{}` means "continue" to every program. The start of a session accepts text, and in Claude Code and
 * Codex a prompt does: they reject `hookSpecificOutput` from the other hooks.
 *
 * @param context text for the agent, if any
 * @param trouble why there is none; our extension for pi shows it to the user
 * @returns undefined to print nothing: `/compact` shows the user the output of a hook
 */
export function hookOutput(
  hook: Hook,
  harness: Harness | undefined,
  context: string | undefined,
  trouble?: string,
): Record<string, unknown> | undefined {
  const compacts = hook === 'precompact' || hook === 'postcompact';
  if (compacts && (harness === 'claude-code' || harness === 'codex')) return undefined;
  if (hook === 'session-start' && harness === 'pi' && trouble !== undefined) return { trouble };
  if (harness === undefined || context === undefined || context === '') return {};
  if (hook === 'user-prompt' && takesPromptContext(harness))
    return { hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: context } };
  if (hook !== 'session-start') return {};
  if (harness === 'opencode' || harness === 'pi') return { context };
  const field = harness === 'kimi' ? 'message' : 'additionalContext';
  return { hookSpecificOutput: { hookEventName: 'SessionStart', [field]: context } };
}

/** Whether a program passes on what the hook adds to a prompt. Kimi CLI drops it (its issue 2304). */
export const takesPromptContext = (harness: Harness): boolean =>
  harness === 'claude-code' || harness === 'codex';
