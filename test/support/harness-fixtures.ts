import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from './palace.js';

const FIXTURES = fileURLToPath(new URL('../fixtures/transcripts/', import.meta.url));

/** A folder of transcripts of each program that stores JSON lines, and where it belongs in HOME. */
const LOGS: [harness: string, from: string, to: string][] = [
  ['claude-code', 'claude-code/2.1.330/projects', '.claude/projects'],
  ['codex', 'codex/0.169.0-gpt-6-sol/sessions', '.codex/sessions'],
  ['copilot', 'copilot-cli/1.0.102/subagent/.copilot', '.copilot'],
  ['gemini', 'gemini-cli/0.61.0/subagent/.gemini', '.gemini'],
  ['kimi-code', 'kimi-code/2.1.0/subagent/.kimi-code', '.kimi-code'],
  ['pi', 'pi/pi-0.73.1', '.pi/agent/sessions/shop'],
  ['qwen', 'qwen-code/0.24.4/subagent/.qwen', '.qwen'],
];

const AT = 1_771_000_000;
const kimiEvent = (number: number, type: string, payload: object) => ({
  timestamp: AT + number,
  message: { type, payload },
});
/** Kimi CLI, by its documentation: there are no transcripts of the real program. */
const KIMI = [
  { type: 'metadata', protocol_version: '1.0' },
  kimiEvent(1, 'TurnBegin', { user_input: 'KIMI-U1 Round the total' }),
  kimiEvent(2, 'ContentPart', { type: 'text', text: 'KIMI-A1 I look.' }),
  kimiEvent(3, 'ToolCall', {
    type: 'function',
    id: 'c1',
    function: { name: 'Shell', arguments: '{"command":"ls"}' },
  }),
  kimiEvent(4, 'ToolResult', {
    tool_call_id: 'c1',
    return_value: { is_error: false, output: 'KIMI-R1 cart.ts', message: 'done' },
  }),
  kimiEvent(5, 'ContentPart', { type: 'text', text: 'KIMI-A2 It rounds half up.' }),
  kimiEvent(6, 'TurnBegin', { user_input: [{ type: 'text', text: 'KIMI-U2 Thanks' }] }),
  kimiEvent(7, 'ContentPart', { type: 'text', text: 'KIMI-A3 Gladly.' }),
];

export const LOG_HARNESSES = [...LOGS.map(([harness]) => harness), 'kimi'];

/** A new home with transcripts of a program; returns it with the paths of its JSON lines. */
export function homeOfLogs(harness: string): { home: string; files: string[] } {
  const home = temporaryFolder();
  const [, from, to] = LOGS.find(([name]) => name === harness) ?? [];
  if (from === undefined || to === undefined) {
    const folder = '.kimi/sessions/0123456789abcdef0123456789abcdef/5b1e7f0c-0001-4000-8000-000000000000';
    mkdirSync(join(home, folder), { recursive: true });
    writeFileSync(join(home, folder, 'wire.jsonl'), KIMI.map((each) => `${JSON.stringify(each)}\n`).join(''));
  } else {
    cpSync(join(FIXTURES, from), join(home, to), { recursive: true, preserveTimestamps: true });
  }
  const files = readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.jsonl'))
    .map((entry) => join(entry.parentPath, entry.name));
  return { home, files };
}

/** Rewrites a file of JSON lines; its time stays. */
export function rewriteLines(path: string, change: (lines: string[]) => string): void {
  const { atime, mtime } = statSync(path);
  const lines = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  writeFileSync(path, change(lines));
  utimesSync(path, atime, mtime);
}
