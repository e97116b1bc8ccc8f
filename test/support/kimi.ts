import { createHash } from 'node:crypto';

/** 2026-03-04T05:06:07Z, in seconds. */
const AT = 1_772_600_767;

const lines = (records: readonly unknown[]) => records.map((each) => `${JSON.stringify(each)}\n`).join('');
export const wire = (type: string, payload: unknown) => ({
  timestamp: AT + 0.25,
  message: { type, payload },
});
const text = (said: string) => ({ type: 'text', text: said });

/** A `wire.jsonl`: questions and answers in turn. */
function kimiWire(...said: string[]): string {
  return lines([
    { type: 'metadata', protocol_version: '1.10' },
    ...said.flatMap((each, index) =>
      index % 2 === 0
        ? [wire('TurnBegin', { user_input: [text(each)] }), wire('StepBegin', { n: 1 })]
        : [wire('ContentPart', text(each)), wire('TurnEnd', {})],
    ),
  ]);
}

/** Kimi CLI's messages to its model, next to the events; they must not be read. */
const kimiContext = (...said: string[]): string =>
  lines([
    { role: '_system_prompt', content: 'Be of use.' },
    ...said.map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content })),
    { role: '_usage', token_count: 7 },
  ]);

/** The files of Kimi CLI below `~/.kimi`: one session of `folder`, optionally with a sub-agent. */
export function kimiFiles(
  folder: string,
  id: string,
  said: readonly string[],
  subagent?: readonly string[],
): Record<string, string> {
  const place = `sessions/${createHash('md5').update(folder).digest('hex')}/${id}`;
  return {
    'kimi.json': JSON.stringify({
      work_dirs: [{ path: '/elsewhere' }, { path: folder, last_session_id: id }],
    }),
    [`${place}/state.json`]: JSON.stringify({ version: 1, custom_title: `About ${id}` }),
    [`${place}/context.jsonl`]: kimiContext(...said),
    [`${place}/context_1.jsonl`]: kimiContext(...said),
    [`${place}/wire.jsonl`]: kimiWire(...said),
    ...(subagent === undefined
      ? {}
      : {
          [`${place}/subagents/a1/meta.json`]: '{"agent_id":"a1"}',
          [`${place}/subagents/a1/context.jsonl`]: kimiContext(...subagent),
          [`${place}/subagents/a1/wire.jsonl`]: kimiWire(...subagent),
        }),
  };
}
