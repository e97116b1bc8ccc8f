/** Records of Claude Code, for transcripts that tests write. */

const DAY = '2026-03-04';

type Fields = Record<string, unknown>;

export interface Talk {
  /** Session id. */
  id: string;
  /** `HH:MM` of its first record. */
  at?: string;
  cwd?: string;
  version?: string;
  /** Prefix of its records' ids. */
  uuids?: string;
}

/** The lines of a session: turns in order, a minute apart; strings are from the user and the assistant in turn. */
export function talk(
  { id, at = '10:00', cwd = '/code/shop', version = '2.1.330', uuids = id }: Talk,
  turns: readonly (string | Fields)[],
): Fields[] {
  const [hours = 0, minutes = 0] = at.split(':').map(Number);
  return turns.map((turn, index) => {
    const minute = hours * 60 + minutes + index;
    const time = `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
    const common = {
      uuid: `${uuids}-4000-8000-${time}`,
      sessionId: id,
      cwd,
      version,
      timestamp: `${DAY}T${time}:00.000Z`,
    };
    return typeof turn === 'string'
      ? { ...common, ...(index % 2 === 0 ? user(turn) : assistant(turn)) }
      : { ...common, ...turn };
  });
}

export const user = (content: unknown): Fields => ({ type: 'user', message: { role: 'user', content } });
export const assistant = (...said: (string | Fields)[]): Fields => ({
  type: 'assistant',
  message: {
    role: 'assistant',
    content: said.map((each) => (typeof each === 'string' ? { type: 'text', text: each } : each)),
  },
});
export const call = (id: string, name: string, input: unknown): Fields => ({
  type: 'tool_use',
  id,
  name,
  input,
});
export const result = (id: string, content: unknown): Fields =>
  user([{ type: 'tool_result', tool_use_id: id, content }]);

/** The same records in a fork: another session, the same ids. */
export const forked = (records: readonly Fields[], id: string): Fields[] =>
  records.map((record) => ({
    ...record,
    sessionId: id,
    forkedFrom: { sessionId: record.sessionId, messageUuid: record.uuid },
  }));

export const lines = (records: readonly Fields[]): string =>
  records.map((each) => `${JSON.stringify(each)}\n`).join('');
