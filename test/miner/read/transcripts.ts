import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ConversationOptions, conversationSegments } from '../../../src/miner/read/conversation.js';
import type { Segment } from '../../../src/miner/segment.js';

type Block = Record<string, unknown>;
let count = 0;

export const said = (text: string): Block => ({ type: 'text', text });
export const called = (id: string, name: string, input: unknown): Block => ({
  type: 'tool_use',
  id,
  name,
  input,
});
export const gave = (id: string, content: unknown, error = false): Block => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
  ...(error ? { is_error: true } : {}),
});

/** A record as Claude Code writes it; `more` overrides any field. */
export function record(role: 'user' | 'assistant', content: string | Block[], more: Block = {}): string {
  count++;
  return JSON.stringify({
    type: role,
    message: { role, content },
    uuid: `uuid-${count}`,
    sessionId: 'session-1',
    timestamp: '2026-03-04T05:06:07.000Z',
    cwd: '/home/someone/project',
    ...more,
  });
}

/** Calls `use` with the path of a file with the lines, and removes it afterwards. */
export async function withFile<T>(
  lines: readonly string[] | string,
  use: (path: string) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'transcript-'));
  try {
    const path = join(folder, 'session.jsonl');
    writeFileSync(path, typeof lines === 'string' ? lines : lines.map((line) => `${line}\n`).join(''));
    return await use(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export function segmentsOf(
  lines: readonly string[] | string,
  options: Omit<ConversationOptions, 'path'> = {},
): Promise<Segment[]> {
  return withFile(lines, async (path) => {
    const segments: Segment[] = [];
    for await (const segment of conversationSegments({ path, ...options })) segments.push(segment);
    return segments;
  });
}

export const textOf = (segments: readonly Segment[]): string =>
  segments.map((segment) => segment.text).join('');
export const chunksOf = (segments: readonly Segment[]) => segments.flatMap((segment) => segment.chunks);
