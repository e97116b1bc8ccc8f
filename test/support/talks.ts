import { statSync } from 'node:fs';
import { join } from 'node:path';
import { enqueue } from '../../src/hooks/queue.js';
import type { TestEnv } from './test-env.js';

/** A line of a transcript of Claude Code. */
export const turn = (role: 'user' | 'assistant', text: string, more: Record<string, unknown> = {}): string =>
  `${JSON.stringify({
    type: role,
    uuid: `${role}-${text}`,
    sessionId: 'talk-1',
    cwd: '/code/shop',
    timestamp: '2026-03-02T10:00:00.000Z',
    ...more,
    message: { role, content: [{ type: 'text', text }] },
  })}\n`;

/** Writes a transcript of Claude Code with a question and its answer. Returns its path. */
export function writeTalk(env: TestEnv, sessionId: string, question: string, answer: string): string {
  const text = turn('user', question, { sessionId }) + turn('assistant', answer, { sessionId });
  const folder = env.project('.claude/projects/-code-shop', { [`${sessionId}.jsonl`]: text });
  return join(folder, `${sessionId}.jsonl`);
}

/** The same, queued as a hook does, without starting a run. */
export function noteTalk(env: TestEnv, sessionId: string, question: string, answer: string): void {
  const transcript = writeTalk(env, sessionId, question, answer);
  enqueue(env.palace, {
    harness: 'claude-code',
    sessionId,
    transcript,
    offset: statSync(transcript).size,
    ended: false,
    rests: false,
  });
}
