/** What happens to the palace, as the server tells it. */
import { keyed } from './api.js';
import { askAgain } from './ask.js';
import { useHeard } from './heard.js';

export interface Happenings {
  filed: { sources: number; drawers: number };
  facts: { facts: number; current_facts: number };
  run: { id: number; command: string; running: boolean; exit_code: number | null };
  progress: { run: string; command: string; step: string; done: number; total: number; note: string };
  ended: {
    run: string;
    command: string;
    ok: boolean;
    counts?: Record<string, number>;
    error?: { message: string; hint?: string };
  };
  connections: { agents: { agent: string; since: string }[] };
}

const AGAIN_MS = 3_000;
/** Views ask again once in this time, milliseconds. */
const PAUSE_MS = 2_000;

/** The last of each; a view that opens later shows them, too. */
const last: Partial<Happenings> = {};
let asking: ReturnType<typeof setTimeout> | undefined;

/** Listens for as long as the page is open. */
export async function listen(): Promise<void> {
  for (;;) {
    const isLetIn = await listenOnce().catch(() => true);
    if (!isLetIn) return;
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}

/** @returns false where asking again would not help */
async function listenOnce(): Promise<boolean> {
  const { ok, body } = await fetch('/api/v1/events', { headers: await keyed() });
  if (!ok || body === null) return false;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let unread = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return true;
    const messages = (unread + value).split('\n\n');
    unread = messages.pop() ?? '';
    for (const message of messages) take(message);
  }
}

function take(message: string): void {
  const [, name, data = ''] = /^event: (\w+)\ndata: (.*)$/.exec(message) ?? [];
  if (name === undefined) return;
  const isNews = isNewsOf(name, data);
  Object.assign(last, { [name]: JSON.parse(data) });
  dispatchEvent(new Event(`live-${name}`));
  if (!isNews || asking !== undefined) return;
  asking = setTimeout(() => {
    asking = undefined;
    askAgain('others');
  }, PAUSE_MS);
}

/** Whether views ask again. A stream begins with the present state, which the views have just asked for. */
function isNewsOf(name: string, data: string): boolean {
  if (name === 'progress' || name === 'connections') return false;
  const former: unknown = Object(last)[name];
  const isState = name === 'filed' || name === 'facts';
  return !isState || (former !== undefined && JSON.stringify(former) !== data);
}

/** The last happening of a kind. */
export const useLive = <Name extends keyof Happenings>(name: Name): Happenings[Name] | undefined =>
  useHeard<Partial<Happenings>[Name]>(() => last[name], `live-${name}`);
