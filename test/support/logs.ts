/** Sessions as programs write them, for tests that are the same for each. */

export const at = (minute: number) => `2026-03-04T05:${String(minute).padStart(2, '0')}:00.000Z`;

interface Log {
  /** Records of its beginning. */
  head: object[];
  /** Even numbers are of the user, odd ones of the assistant. */
  message(number: number, text: string): object;
  /** Below HOME, in a folder of this name. */
  file(part: string): string;
}

const roleOf = (number: number) => (number % 2 === 0 ? 'user' : 'assistant');

/** By program: how it writes the session `id`; a message is in the minute of its number. */
export const LOGS: Record<string, (id: string) => Log> = {
  'claude-code': (id) => ({
    head: [],
    message: (number, text) => ({
      type: roleOf(number),
      uuid: `${id}-0002-4000-8000-0000000000${String(number).padStart(2, '0')}`,
      sessionId: id,
      cwd: '/home/dev/shop',
      timestamp: at(number),
      message:
        roleOf(number) === 'user'
          ? { role: 'user', content: text }
          : { id: `m${number}`, role: 'assistant', content: [{ type: 'text', text }] },
    }),
    file: (part) => `.claude/projects/${part}/${id}.jsonl`,
  }),
  codex: (id) => ({
    head: [
      { timestamp: at(0), type: 'session_meta', payload: { id, timestamp: at(0), cwd: '/home/dev/shop' } },
    ],
    message: (number, text) => ({
      timestamp: at(number),
      type: 'response_item',
      payload: {
        type: 'message',
        role: roleOf(number),
        content: [{ type: roleOf(number) === 'user' ? 'input_text' : 'output_text', text }],
      },
    }),
    file: (part) => `.codex/sessions/2026/03/${part}/rollout-2026-03-04T05-00-00-${id}.jsonl`,
  }),
  pi: (id) => ({
    head: [{ type: 'session', version: 3, id, cwd: '/home/dev/shop', timestamp: at(0) }],
    message: (number, text) => ({
      type: 'message',
      id: `e${number}`,
      timestamp: at(number),
      message: { role: roleOf(number), content: [{ type: 'text', text }] },
    }),
    file: (part) => `.pi/agent/sessions/${part}/2026_${id}.jsonl`,
  }),
  kimi: (id) => ({
    head: [{ type: 'metadata', protocol_version: '1.0' }],
    message: (number, text) => ({
      timestamp: Date.parse(at(number)) / 1000,
      message:
        roleOf(number) === 'user'
          ? { type: 'TurnBegin', payload: { user_input: text } }
          : { type: 'ContentPart', payload: { type: 'text', text } },
    }),
    file: (part) => `.kimi/sessions/${part}/${id}/wire.jsonl`,
  }),
};

export function logOf(program: string, id: string): Log {
  const log = LOGS[program]?.(id);
  if (log === undefined) throw new Error(`no log of ${program}`);
  return log;
}
