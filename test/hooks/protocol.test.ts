import { describe, expect, it } from 'vitest';
import { HARNESSES, HOOKS, hookOutput, readHookInput } from '../../src/hooks/protocol.js';

describe('what harnesses send', () => {
  it('Claude Code and Codex name a transcript; null and wrong types count as missing', () => {
    const sent = { session_id: 's', transcript_path: '/t.jsonl', cwd: '/p', stop_hook_active: true };
    expect(readHookInput(JSON.stringify({ ...sent, last_assistant_message: 'Done.' }))).toEqual({
      sessionId: 's',
      transcript: '/t.jsonl',
      cwd: '/p',
    });
    expect(readHookInput('{"prompt": "Which port?"}').prompt).toBe('Which port?');
    expect(readHookInput('{"agent_transcript_path": "/a.jsonl"}').agentTranscript).toBe('/a.jsonl');
    expect(readHookInput('{"session_id": 7, "transcript_path": null, "cwd": ""}')).toEqual({
      sessionId: undefined,
      transcript: undefined,
      cwd: undefined,
    });
    for (const text of ['null', '[]', '"text"', '7']) expect(readHookInput(text).sessionId).toBeUndefined();
  });
});

describe('what harnesses take', () => {
  it('Claude Code and Codex take context at the start of a session', () => {
    const wanted = { hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: 'text' } };
    expect(hookOutput('session-start', 'claude-code', 'text')).toEqual(wanted);
    expect(hookOutput('session-start', 'codex', 'text')).toEqual(wanted);
  });

  it('Claude Code and Codex take context with a prompt; Kimi CLI would drop it', () => {
    const wanted = { hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'text' } };
    for (const harness of ['claude-code', 'codex'] as const) {
      expect(hookOutput('user-prompt', harness, 'text')).toEqual(wanted);
      expect(hookOutput('user-prompt', harness, '')).toEqual({});
      expect(hookOutput('user-prompt', harness, undefined, 'damaged')).toEqual({});
    }
    for (const harness of ['kimi', 'opencode', 'pi'] as const)
      expect(hookOutput('user-prompt', harness, 'text')).toEqual({});
  });

  it('Kimi reads a message, plugins of opencode and pi a context', () => {
    expect(hookOutput('session-start', 'kimi', 'text')).toEqual({
      hookSpecificOutput: { hookEventName: 'SessionStart', message: 'text' },
    });
    expect(hookOutput('session-start', 'opencode', 'text')).toEqual({ context: 'text' });
    expect(hookOutput('session-start', 'pi', 'text')).toEqual({ context: 'text' });
  });

  it('our extension for pi takes what is wrong with the palace; no other program does', () => {
    expect(hookOutput('session-start', 'pi', undefined, 'damaged')).toEqual({ trouble: 'damaged' });
    expect(hookOutput('session-start', 'codex', undefined, 'damaged')).toEqual({});
    expect(hookOutput('stop', 'pi', undefined, 'damaged')).toEqual({});
  });

  it.each(['claude-code', 'codex'] as const)(
    '%s shows what is printed at a compaction: nothing',
    (harness) => {
      for (const hook of ['precompact', 'postcompact'] as const)
        expect(hookOutput(hook, harness, undefined)).toBeUndefined();
    },
  );

  it.each(HARNESSES)(
    '%s goes on after every other hook, and where there is nothing to be told',
    (harness) => {
      for (const hook of HOOKS.filter((name) => name !== 'session-start' && name !== 'user-prompt'))
        expect(hookOutput(hook, harness, 'text') ?? {}).toEqual({});
      expect(hookOutput('session-start', harness, undefined)).toEqual({});
      expect(hookOutput('session-start', harness, '')).toEqual({});
    },
  );
});
