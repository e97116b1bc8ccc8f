/**
 * The plan of sessions, messages and parts, with the length of each text: only numbers, so
 * that counts and volume are exact before any text is written.
 *
 * A session is `{ kind, messages }`, a message `{ role, parts }`, a part `{ type, tool?, text?, input?,
 * output?, synthetic? }` whose sizes are in characters.
 */
import { apportion } from './random.mjs';

/** Long tool inputs and outputs enter the palace by head and tail only: this much of each. */
const CLIP = 4096;
/** opencode cuts the output of a command at about this size. */
const OUTPUT_LIMIT = 51_200;

const text = (random, median, sigma, limit) => ({
  type: 'text',
  text: Math.min(limit, random.logNormal(median, sigma)),
});
const userText = (random) => text(random, 220, 1, 8000);
const answer = (random) => text(random, 900, 0.8, 12_000);
const remark = (random) => text(random, 140, 0.6, 1200);
const reasoning = (random) => ({ type: 'reasoning', text: Math.min(9000, random.logNormal(420, 0.8)) });

function tool(random) {
  const part = (name, input, output) => ({
    type: 'tool',
    tool: name,
    input,
    output: Math.min(OUTPUT_LIMIT, output),
  });
  const draw = random.next();
  if (draw < 0.36) return part('bash', random.logNormal(80, 0.7), random.logNormal(600, 1.6));
  if (draw < 0.64) return part('read', 0, random.logNormal(2600, 1));
  if (draw < 0.82) return part('edit', random.logNormal(700, 0.9), 0);
  if (draw < 0.94) return part('grep', 0, random.logNormal(700, 1.1));
  return part('write', random.logNormal(1500, 1), 0);
}

/** Roles of a session's messages; every turn is a question and one to eight steps, and there are two turns. */
function turns(random, count) {
  const roles = [];
  while (roles.length < count) {
    const first = roles.length === 0;
    roles.push('user');
    const room = count - roles.length - (first ? 1 : 0);
    const steps = Math.min(room, 8, Math.max(1, Math.round(random.logNormal(2.2, 0.6))));
    for (let step = 0; step < steps; step += 1) roles.push('assistant');
  }
  return roles;
}

/** The minimal parts of every message; `remarks`: whether a step that only calls tools can have text. */
function skeleton(random, roles, remarks) {
  return roles.map((role, index) => {
    if (role === 'user') return { role, parts: [userText(random)] };
    const last = roles[index + 1] !== 'assistant';
    const content = last ? answer(random) : remarks && random.chance(0.3) ? remark(random) : tool(random);
    return { role, parts: [{ type: 'step-start' }, content, { type: 'step-finish' }] };
  });
}

/** Adds `count` parts in opencode's order: reasoning first, tool calls after the text. */
function enrich(random, message, count) {
  for (let index = 0; index < count; index += 1) {
    if (message.role === 'user') {
      const attachment = { type: 'text', synthetic: true, text: Math.min(9000, random.logNormal(900, 0.8)) };
      message.parts.push(index % 2 === 0 ? { type: 'file' } : attachment);
    } else if (message.parts[1].type !== 'reasoning' && random.chance(0.45)) {
      message.parts.splice(1, 0, reasoning(random));
    } else if (random.chance(0.08)) {
      message.parts.push({ type: 'patch' });
    } else {
      message.parts.splice(-1, 0, tool(random));
    }
  }
}

/** Roles of a session that does not qualify: empty, abandoned, one exchange, or a subagent's. */
function smallSession(random) {
  const draw = random.next();
  if (draw < 0.06) return { kind: 'empty', roles: [] };
  if (draw < 0.16) return { kind: 'abandoned', roles: ['user'] };
  const steps = 1 + Math.min(7, Math.floor(random.logNormal(2, 0.6)));
  return { kind: draw < 0.36 ? 'subagent' : 'exchange', roles: ['user', ...Array(steps).fill('assistant')] };
}

const SIZES = ['text', 'input', 'output'];

/** Characters of a session that reach the palace, tool inputs and outputs clipped. */
export function volume(messages, factor = 1) {
  let total = 0;
  for (const part of messages.flatMap((message) => message.parts)) {
    if (part.synthetic) continue;
    for (const size of SIZES) {
      const length = (part[size] ?? 0) * factor;
      total += size === 'text' ? length : Math.min(CLIP, length);
    }
  }
  return total;
}

/** Scales all sizes so that the qualifying sessions' volume comes to `target` characters. */
function calibrate(sessions, target) {
  const all = sessions
    .filter((session) => session.kind === 'qualifying')
    .flatMap((session) => session.messages);
  let [low, high] = [0.01, 100];
  for (let round = 0; round < 60; round += 1) {
    const middle = (low + high) / 2;
    if (volume(all, middle) < target) low = middle;
    else high = middle;
  }
  for (const part of sessions.flatMap((session) => session.messages).flatMap((message) => message.parts)) {
    for (const size of SIZES) {
      if (part[size] > 0) part[size] = Math.max(12, Math.round(part[size] * low));
    }
  }
}

/**
 * Plans exactly these numbers of sessions, messages, parts and sessions with three or more messages that
 * with text; `chars` is the volume of the qualifying ones.
 * @throws when the numbers do not fit together, with the minimum that would
 */
export function planSessions(random, { sessions, qualifying, messages, parts, chars }) {
  const small = Array.from({ length: sessions - qualifying }, () => smallSession(random));
  const spoken = small.reduce((sum, session) => sum + session.roles.length, 0);
  const counts = apportion(
    messages - spoken,
    Array(qualifying).fill(4),
    Array.from({ length: qualifying }, () => random.logNormal(1, 0.9)),
  );
  const planned = [
    ...small.map(({ kind, roles }) => ({ kind, messages: skeleton(random, roles, false) })),
    ...counts.map((count) => ({
      kind: 'qualifying',
      messages: skeleton(random, turns(random, count), true),
    })),
  ];
  for (let index = planned.length - 1; index > 0; index -= 1) {
    const other = random.between(0, index);
    [planned[index], planned[other]] = [planned[other], planned[index]];
  }
  const all = planned.flatMap((session) => session.messages);
  const extra = apportion(
    parts,
    all.map((message) => message.parts.length),
    all.map((message) => random.logNormal(message.role === 'user' ? 0.2 : 1, 0.8)),
  );
  for (const [index, message] of all.entries()) enrich(random, message, extra[index] - message.parts.length);
  calibrate(planned, chars);
  return planned;
}

/**
 * Plans one session of `megabytes` in `parts` parts, `toolMegabytes` of it tool output; of the rest one half
 * is text, the other the input of a few large writes.
 */
export function planOneSession(random, { parts, megabytes, toolMegabytes }) {
  const stepParts = 6;
  const perTurn = 8;
  const steps = Math.floor(parts / (stepParts + 1 / perTurn));
  if (steps < 1) throw new Error(`a session of ${parts} parts is too small: at least 7 are needed`);
  const messages = [];
  let left = parts;
  const push = (message) => {
    messages.push(message);
    left -= message.parts.length;
  };
  for (let step = 0; step < steps && left > stepParts; step += 1) {
    if (step % perTurn === 0) push({ role: 'user', parts: [userText(random)] });
    const content = [reasoning(random), tool(random), tool(random), answer(random)];
    push({ role: 'assistant', parts: [{ type: 'step-start' }, ...content, { type: 'step-finish' }] });
  }
  const last = messages[messages.length - 1];
  for (; left > 0; left -= 1) last.parts.splice(-1, 0, tool(random));

  const all = messages.flatMap((message) => message.parts);
  const tools = all.filter((part) => part.type === 'tool');
  const texts = all.filter((part) => part.text !== undefined);
  const mebi = 1024 * 1024;
  const share = (list, size, total) => {
    const weights = list.map(() => Math.min(3, Math.max(0.3, random.logNormal(1, 0.5))));
    const sizes = apportion(Math.round(total), Array(list.length).fill(12), weights);
    for (const [index, part] of list.entries()) part[size] = sizes[index];
  };
  for (const [index, part] of tools.entries()) part.tool = index % 15 === 0 ? 'write' : 'bash';
  for (const part of tools) part.input = 60;
  share(tools, 'output', toolMegabytes * mebi);
  share(texts, 'text', ((megabytes - toolMegabytes) / 2) * mebi);
  share(
    tools.filter((part) => part.tool === 'write'),
    'input',
    ((megabytes - toolMegabytes) / 2) * mebi,
  );
  return [{ kind: 'qualifying', messages }];
}
