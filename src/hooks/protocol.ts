import { isAbsolute } from 'node:path';
import { buildSourceKey } from '../core/source-key.js';

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

/** The key of a session's source. */
export const sessionKey = ({ harness, sessionId }: { harness: Harness; sessionId: string }): string =>
  buildSourceKey({ kind: harness, owner: sessionId });

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
  /** Fields that cannot be used, and why, as `session_id contains a control character`; they count as missing. */
  refused: string[];
}

/**
 * Parses a hook's input. Claude Code and Codex send the same fields; Kimi and our opencode plugin send no transcript. What
 * becomes a key, a path or an open file is checked here, so that no later step fails on it. Checked by hand: loading a schema
 * library would take longer than the rest of the hook.
 *
 * @throws SyntaxError when it is not JSON
 */
export function readHookInput(text: string): HookInput {
  const json: unknown = JSON.parse(text);
  const refused: string[] = [];
  const field = (name: string, troubleOf: (value: string) => string | undefined): string | undefined => {
    const value: unknown = typeof json === 'object' && json !== null ? Reflect.get(json, name) : undefined;
    if (value === undefined || value === null || value === '') return undefined;
    const trouble = typeof value === 'string' ? troubleOf(value) : 'is not a text';
    if (trouble === undefined && typeof value === 'string') return value;
    refused.push(`${name} ${trouble}`);
    return undefined;
  };
  return {
    sessionId: field('session_id', idTrouble),
    transcript: field('transcript_path', pathTrouble),
    agentTranscript: field('agent_transcript_path', pathTrouble),
    cwd: field('cwd', pathTrouble),
    source: field('source', () => undefined),
    prompt: field('prompt', () => undefined),
    refused,
  };
}

/** Ids of known programs have at most 60 characters. It becomes a part of file names and of keys. */
const ID_CHARS = 200;
/** The longest path of Linux, bytes. */
const PATH_BYTES = 4_096;
const CONTROL = /[\x00-\x1f\x7f-\x9f\u2028\u2029]/;

/** Why a text cannot be the id of a session. */
export function idTrouble(id: string): string | undefined {
  if (id.length > ID_CHARS) return `is longer than ${ID_CHARS} characters`;
  if (/[/\\]/.test(id) || id === '.' || id === '..') return 'is a path';
  return id.trim() === '' ? 'is empty' : textTrouble(id);
}

/** Why a text cannot be the path of a file. */
export function pathTrouble(path: string): string | undefined {
  if (Buffer.byteLength(path) > PATH_BYTES) return `is longer than ${PATH_BYTES} bytes`;
  return isAbsolute(path) ? textTrouble(path) : 'is not an absolute path';
}

function textTrouble(text: string): string | undefined {
  if (CONTROL.test(text)) return 'contains a control character';
  // A file system and a database would store another character.
  return /\p{Surrogate}/u.test(text) ? 'contains half of a character' : undefined;
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

/** Whether a program may end a session without a word: opencode has no such event, and Kimi only a hook that few set. */
export const endsSilently = (harness: Harness): boolean => harness === 'opencode' || harness === 'kimi';

/** Whether a program passes on what the hook adds to a prompt. Kimi CLI drops it (its issue 2304). */
export const takesPromptContext = (harness: Harness): boolean =>
  harness === 'claude-code' || harness === 'codex';
