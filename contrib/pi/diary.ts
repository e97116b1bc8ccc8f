/** What `/mempalace-diary` asks of the agent: an entry in the notation AAAK. */
export function diaryPrompt(tool: string, agent: string, topic: string): string {
  const about = topic.trim().replace(/\s+/g, ' ').slice(0, 128);
  return `Write one entry about this session into your diary in the memory palace: call ${tool} with agent_name ${JSON.stringify(agent)}${about === '' ? '' : `, topic ${JSON.stringify(about)}`} and entry: what was decided and why, what was learned, what is open, in AAAK, a few lines.

AAAK: one line per thing, fields between pipes, as many as help: who | what | why it matters | how it felt | when. The kind in front (events:, facts:, discoveries:, advice:), short names, -> for relations and changes, *feeling*, weight from ★ to ★★★★★, days as 2026-03-01, flags at the end in capitals (DECISION, PIVOT, TECHNICAL). Quote what must stay exact. Example:
discoveries: SHP login | cookie Strict->Lax, the redirect lost it | *relief* ★★★ | 2026-03-01 | DECISION

Then say in one line what you wrote.`;
}
