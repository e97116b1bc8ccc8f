/**
 * What a broker changes: memory of several agents, the first search of a further agent, the whole `mempalace search`, and
 * searches of several agents at once; each next to the same without a broker (`npm run build` first; part of
 * `npm run bench`).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { median, row } from './support/figures.mjs';
import { flushes } from './support/flushes.mjs';
import { largePalace, someQuestions } from './support/large-palace.mjs';
import { newMachine, runJson, runNode, runProgram } from './support/machine.mjs';
import { McpSession } from './support/mcp-session.mjs';
import { memoryOf } from './support/memory-of.mjs';

const AGENTS = 5;
const CLIENTS = 10;
const TOGETHER = 20;
const TARGETS = {
  agentsMb: 300,
  firstMs: 150,
  aboveNodeMs: 60,
  shimPssMb: 12,
  shimRssMb: 50,
  throughput: 1.6,
  clientMb: 1,
};
const FULL = { drawers: 100_000, embedded: 10_000, searches: 20, rounds: 15, idle: 100 };
const QUICK = { drawers: 5_000, embedded: 500, searches: 2, rounds: 3, idle: 10 };
/** Memory is measured with a small palace: the pages of a large one, which the system may take back, count too. */
const SMALL = { drawers: 500, embedded: 500 };

/** Processor time of a process in milliseconds. */
function cpuMs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

async function opened(machine, count) {
  const sessions = Array.from({ length: count }, () => new McpSession(machine));
  await Promise.all(sessions.map((session) => session.open()));
  return sessions;
}

const closed = (sessions) => Promise.all(sessions.map((session) => session.close()));
const brokerOf = async (machine) => (await runJson(machine, 'mempalace', ['broker', 'status'])).json;

/** V8 gives back the room of young objects once a process has been idle for ten seconds. */
const IDLE_MS = 15_000;

/** Memory of the agents together, after searches, with the model loaded, and of one of them when it is idle. */
async function agents(machine, { searches, asked }) {
  const sessions = await opened(machine, AGENTS);
  for (const session of sessions)
    await session.call('check_duplicate', { content: 'the model is loaded now' });
  for (const session of sessions)
    for (let n = 0; n < searches; n += 1) await session.call('search', { query: asked[n % asked.length] });
  const shims = sessions.map(({ pid }) => memoryOf(pid));
  const { running, pid } = await brokerOf(machine);
  const all = running ? [...shims, memoryOf(pid)] : shims;
  if (running) await sleep(IDLE_MS);
  const idle = median(sessions.map(({ pid }) => memoryOf(pid).pss));
  await closed(sessions);
  const together = all.reduce((sum, { pss }) => sum + pss, 0);
  return { together, shim: { ...shims[0], idle }, bare: await bareNodes(AGENTS) };
}

/** Memory of one of so many processes of node that do nothing: as many share the pages of the program. */
async function bareNodes(count) {
  const script = "console.log('ready'); setInterval(() => {}, 1e9)";
  const nodes = Array.from({ length: count }, () =>
    spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] }),
  );
  await Promise.all(nodes.map(({ stdout }) => once(stdout, 'data')));
  const [{ pid }] = nodes;
  const memory = memoryOf(pid);
  for (const node of nodes) node.kill();
  return memory;
}

/** The first search of a further agent by meaning, milliseconds from the start of its process. */
async function firstSearches(machine, { rounds, asked }) {
  const [times, greetings, bare] = [[], [], []];
  for (let round = 0; round < rounds; round += 1) {
    bare.push((await runNode(machine, ['-e', '0'])).seconds * 1000);
    const session = new McpSession(machine);
    greetings.push((await session.open()).sinceStart);
    const { result, sinceStart } = await session.call('search', { query: asked[round % asked.length] });
    if (result.notes.length > 0) throw new Error(`not by meaning: ${result.notes}`);
    times.push(sinceStart);
    await session.close();
  }
  return { times, greetings, bare: median(bare) };
}

/** The whole command, milliseconds above bare node, and as a multiple of it. */
async function commands(machine, { rounds, asked }) {
  const [above, times] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    const bare = await runNode(machine, ['-e', '0']);
    const { seconds } = await runProgram(machine, 'mempalace', ['search', asked[round % asked.length]]);
    above.push((seconds - bare.seconds) * 1000);
    times.push(seconds / bare.seconds);
  }
  return { above: median(above), times: median(times) };
}

/** Searches of several clients at once, against the same one after the other. */
async function throughput(machine, { rounds, asked }) {
  const sessions = await opened(machine, CLIENTS);
  const ask = (n) => sessions[n % CLIENTS].call('search', { query: asked[n % asked.length] });
  await ask(0);
  const ratios = [];
  for (let round = 0; round < rounds; round += 1) {
    let began = performance.now();
    for (let n = 0; n < TOGETHER; n += 1) await ask(n);
    const alone = performance.now() - began;
    began = performance.now();
    await Promise.all(Array.from({ length: TOGETHER }, (_, n) => ask(n)));
    ratios.push(alone / (performance.now() - began));
  }
  await closed(sessions);
  return median(ratios);
}

/** Filing a small session: ratios of the broker's model to one of the process's own, in the same minutes. */
function flushRows({ lent, own, quiet }) {
  const ratio = (field) => `${(lent[field] / own[field]).toFixed(2)} ×`;
  const waits = ({ wait, longest }) =>
    `${wait.toFixed(0)} ms at the median, ${longest.toFixed(0)} ms at most`;
  return [
    row('hook flush with the model of the broker, time', ratio('ms'), {
      note: `${lent.ms.toFixed(0)} ms; with its own model ${own.ms.toFixed(0)} ms`,
    }),
    row('hook flush with the model of the broker, peak PSS', ratio('pss'), {
      note: `${lent.pss.toFixed(0)} MB; with its own model ${own.pss.toFixed(0)} MB`,
    }),
    row('a search of another client meanwhile', ratio('wait'), {
      note: `${waits(lent)}; beside its own model ${waits(own)}; alone ${quiet.toFixed(0)} ms`,
    }),
  ];
}

const timesNode = (ratio) => `${ratio.toFixed(1)} × node`;

/** Clients that ask nothing. */
async function idleClients(machine, { idle }) {
  const [first] = await opened(machine, 1);
  await first.call('status', {});
  const { pid } = await brokerOf(machine);
  const before = memoryOf(pid).pss;
  const sessions = await opened(machine, idle);
  await sleep(1_000);
  const perClient = (memoryOf(pid).pss - before) / idle;
  const cpu = cpuMs(pid);
  await sleep(5_000);
  const spent = cpuMs(pid) - cpu;
  await closed([first, ...sessions]);
  return { perClient, spent };
}

/** @param {{ quick: boolean, note: (text: string) => void, keep?: string }} options `keep`: a folder where palaces stay */
export async function benchBroker({ quick, note, keep }) {
  if (process.platform !== 'linux') return [row('broker', 'not measured', { note: 'it needs /proc' })];
  const machine = newMachine();
  const plan = { ...(quick ? QUICK : FULL), asked: someQuestions(quick ? 16 : 64) };
  const { drawers, embedded } = plan;
  const folder = keep ?? join(machine.folder, 'palaces');
  const small = await largePalace(machine, { folder, ...SMALL, note });
  const large = await largePalace(machine, { folder, drawers, embedded, note });
  const using = (palace, broker) => {
    const env = { ...machine.env, MEMPALACE_PALACE_PATH: palace.folder, MEMPALACE_BROKER: broker };
    return { ...machine, env };
  };
  const shared = using(large, 'auto');
  const alone = {
    memory: await agents(using(small, 'off'), plan),
    command: await commands(using(large, 'off'), plan),
  };
  note('without a broker: done');
  try {
    const memory = await agents(using(small, 'auto'), plan);
    const { times, greetings, bare } = await firstSearches(shared, plan);
    const command = await commands(shared, plan);
    const quickest = await commands(using(small, 'auto'), plan);
    const flushed = await flushes(using(small, 'auto'), plan);
    const ratio = await throughput(shared, plan);
    const idle = await idleClients(shared, plan);
    const most = (name, figure, limit, unit, more) =>
      row(name, `${figure.toFixed(figure < 10 ? 1 : 0)} ${unit}`, {
        target: `≤ ${limit} ${unit}`,
        met: figure <= limit,
        note: more,
      });
    return [
      most(
        `${AGENTS} agents together, PSS (${SMALL.drawers} drawers)`,
        memory.together,
        TARGETS.agentsMb,
        'MB',
        `without a broker ${alone.memory.together.toFixed(0)} MB`,
      ),
      most('mempalace-mcp beside a broker, RSS', memory.shim.rss, TARGETS.shimRssMb, 'MB'),
      most(
        `mempalace-mcp beside a broker, PSS, idle for ${IDLE_MS / 1000} s`,
        memory.shim.idle,
        TARGETS.shimPssMb,
        'MB',
        `right after its searches ${memory.shim.pss.toFixed(1)} MB; ${AGENTS} bare nodes beside the broker: ${memory.bare.pss.toFixed(1)} MB each`,
      ),
      most(
        'first search by meaning of a further agent, from its start',
        median(times),
        TARGETS.firstMs,
        'ms',
        `${timesNode(median(times) / bare)}; initialize ${median(greetings).toFixed(0)} ms`,
      ),
      most(
        'whole mempalace search above node',
        command.above,
        TARGETS.aboveNodeMs,
        'ms',
        `${timesNode(command.times)}; without a broker ${alone.command.above.toFixed(0)} ms; with ${SMALL.drawers} drawers ${quickest.above.toFixed(0)} ms, ${timesNode(quickest.times)}`,
      ),
      ...flushRows(flushed),
      row(`${TOGETHER} searches of ${CLIENTS} clients at once`, `${ratio.toFixed(2)} ×`, {
        target: `≥ ${TARGETS.throughput} ×`,
        met: ratio >= TARGETS.throughput,
        note: 'throughput against one after the other',
      }),
      most(
        'memory of an idle client in the broker',
        idle.perClient,
        TARGETS.clientMb,
        'MB',
        `${plan.idle} clients; ${idle.spent} ms of processor time in 5 s`,
      ),
    ].map((each) => ({ ...each, name: `broker, ${drawers} drawers: ${each.name}` }));
  } finally {
    for (const palace of [small, large])
      await runProgram(using(palace, 'auto'), 'mempalace', ['broker', 'stop']);
    machine.remove();
  }
}
