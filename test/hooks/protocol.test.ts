import { describe, expect, it } from 'vitest';
import { HARNESSES, HOOKS, hookOutput, readHookInput } from '../../src/hooks/protocol.js';

describe('what harnesses send', () => {
  it('Claude Code and Codex name a transcript; null and wrong types count as missing', () => {
    const sent = { session_id: 's', transcript_path: '/t.jsonl', cwd: '/p', stop_hook_active: true };
    expect(readHookInput(JSON.stringify({ ...sent, last_assistant_message: 'Done.' }))).toEqual({
      sessionId: 's',
      transcript: '/t.jsonl',
      cwd: '/p',
      refused: [],
    });
    expect(readHookInput('{"prompt": "Which port?"}').prompt).toBe('Which port?');
    expect(readHookInput('{"agent_transcript_path": "/a.jsonl"}').agentTranscript).toBe('/a.jsonl');
    expect(readHookInput('{"session_id": 7, "transcript_path": null, "cwd": ""}')).toEqual({
      sessionId: undefined,
      transcript: undefined,
      cwd: undefined,
      refused: ['session_id is not a text'],
    });
    for (const text of ['null', '[]', '"text"', '7']) expect(readHookInput(text).sessionId).toBeUndefined();
  });
});

describe('what no harness should send', () => {
  const read = (fields: object) => readHookInput(JSON.stringify(fields));

  it.each([
    ['a\u0000b', 'contains a control character'],
    ['a\nb', 'contains a control character'],
    ['a\u009bb', 'contains a control character'],
    ['\udfff', 'contains half of a character'],
    ['../../etc/passwd', 'is a path'],
    ['a\\b', 'is a path'],
    ['..', 'is a path'],
    [' ', 'is empty'],
    ['x'.repeat(201), 'is longer than 200 characters'],
    [7, 'is not a text'],
    [['a'], 'is not a text'],
    [{ id: 'a' }, 'is not a text'],
    [true, 'is not a text'],
  ])('the session id %j is refused', (session_id, trouble) => {
    expect(read({ session_id, cwd: '/p' })).toMatchObject({
      sessionId: undefined,
      cwd: '/p',
      refused: [`session_id ${trouble}`],
    });
  });

  it.each(['transcript_path', 'agent_transcript_path', 'cwd'])('a bad path in %s is refused', (name) => {
    const bad = ['/a\u0000b', '/a\u001b[2J', '/\ud83d', 'a.jsonl', `/${'x'.repeat(4_096)}`, ['/a'], 7, {}];
    for (const path of bad) {
      const { transcript, agentTranscript, cwd, refused } = read({ session_id: 's', [name]: path });
      expect([path, transcript, agentTranscript, cwd]).toEqual([path, undefined, undefined, undefined]);
      expect(refused).toEqual([expect.stringMatching(`^${name} (?:is|contains) `)]);
    }
    expect(read({ session_id: 's', [name]: '/ж/新しい フォルダ/🎈.jsonl' }).refused).toEqual([]);
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
