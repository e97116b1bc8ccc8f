import { activityOfText } from '../../src/activity/index.js';
import { resultHead, type TurnMark } from '../../src/core/turns.js';
import { PieceBuilder } from '../../src/miner/pieces.js';
import { renderCall } from '../../src/miner/read/render.js';
import type { Palace } from '../../src/store/index.js';
import { filingOf } from './palace.js';

/** A call of a tool, and the message of its failure, or what it returned. */
export type Done = readonly [tool: string, input: unknown, failure?: string | undefined, output?: string];

export interface WorkedSession {
  id: string;
  /** A sub-agent of the session. */
  agent?: string;
  directory?: string;
  day?: string;
  /** Leaves what it did to be derived later, as an earlier version does. */
  underived?: boolean;
  /** Words of the user before the first call. */
  asked?: string;
}

/** Files a session, each call with its result a drawer of its own. */
export async function fileSession(
  palace: Palace,
  session: WorkedSession,
  done: readonly Done[],
): Promise<void> {
  const { id, agent, directory = '/code/shop', day = '2026-03-04', asked = 'Please go on.' } = session;
  const turns: TurnMark[] = [{ role: 'user', start: 0 }];
  const texts = [`User:\n${asked}\n\n`];
  let at = texts[0]?.length ?? 0;
  for (const [tool, input, failure, output = 'ok'] of done) {
    const call = `${renderCall(tool, input)}\n\n`;
    const result = `${resultHead(failure !== undefined)}${failure ?? output}\n\n`;
    turns.push({ role: 'call', start: at }, { role: 'result', start: at + call.length });
    texts.push(call + result);
    at += call.length + result.length;
  }
  const builder = new PieceBuilder();
  await builder.add(texts.join(''));
  const changes = { kind: 'conversation', sessionId: id, directory, title: `Session ${id}` } as const;
  const filing = filingOf(`session:o:${id}${agent === undefined ? '' : `/${agent}`}`, texts, changes, day);
  const drafts = filing.drafts.map((draft, index) => ({ ...draft, role: index === 0 ? 'user' : 'tool' }));
  const activity = session.underived === true ? undefined : activityOfText(texts.join(''), turns, directory);
  const run = palace.runs.begin({ command: 'test', scope: '', narrowed: false, versions: {}, startedMs: 1 });
  const pieces = await builder.finish();
  palace.file({ ...filing, drafts, pieces, turns, activity }, { id: run, now: '2026-03-04T05:06:07.000Z' });
}
