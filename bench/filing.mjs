/**
 * What filing costs against another build, and what of it is the detection of files and failures: CPU time of the miner over
 * the same staged history, in turns (`npm run build` in both checkouts first). Without `--meaning` by words alone, which takes
 * a tenth of the time: differences show there first.
 *
 *   node bench/filing.mjs --base ../earlier [--rounds 9] [--scale 2] [--meaning]
 */
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { generateOpencode } from './generate-opencode.mjs';
import { median, renderTable, row } from './support/figures.mjs';
import { newMachine, ROOT, runNode, temporaryFolder } from './support/machine.mjs';
import { runBench } from './support/main.mjs';

const MOST_SHARE = 1.05;
const MOST_DETECTION = 1.03;
const { values } = parseArgs({
  options: {
    base: { type: 'string' },
    rounds: { type: 'string', default: '9' },
    scale: { type: 'string', default: '2' },
    /** Of a child process: the checkout, and the folder of what it staged. */
    mine: { type: 'string' },
    staged: { type: 'string' },
    undetected: { type: 'boolean', default: false },
    meaning: { type: 'boolean', default: false },
  },
});

/** From here on, nothing that a session did is detected. */
async function detectNothing(of) {
  const { ACTIVITY_VERSION: version, TextActivity } = await of('activity/index.js');
  TextActivity.prototype.add = () => {};
  TextActivity.prototype.finish = () => ({ version, touched: [], failures: [] });
}

/** Prints the CPU seconds of filing what is staged; no text is embedded. */
async function mineStaged(root, cache, undetected) {
  const of = (module) => import(join(root, 'dist', module));
  if (undetected) await detectNothing(of);
  const { mine } = await of('miner/mine.js');
  const { stagedBatches } = await of('miner/staged.js');
  const { Palace } = await of('store/index.js');
  const { createSanitiser } = await of('sanitiser/index.js');
  const { DEFAULT_MODEL_ID, modelById } = await of('embedding/registry.js');
  const { startEmbedder } = await of('embedding/index.js');
  await of('miner/read/conversation.js');
  const { id, revision, dimension } = modelById(DEFAULT_MODEL_ID);
  const palace = Palace.write(join(temporaryFolder(), 'palace'), { id, revision, dimension });
  const sanitiser = await createSanitiser({ redact: true });
  const batches = await stagedBatches(cache, {
    ...{ cache, named: false, allowRemovals: false },
    sanitiser: async () => sanitiser,
  });
  const run = {
    id: palace.runs.begin({ command: 'bench', scope: '', narrowed: false, versions: {}, startedMs: 1 }),
  };
  const before = process.cpuUsage();
  const noVectors = new Error('no vectors');
  const embedder = () => (values.meaning ? startEmbedder() : Promise.reject(noVectors));
  await mine({
    ...{ palace, batches, sanitiser, addedBy: 'bench', run: { ...run, now: '2026-03-04T05:06:07.000Z' } },
    embedder,
  }).catch((error) => {
    if (error !== noVectors) throw error;
  });
  const { user, system } = process.cpuUsage(before);
  process.stdout.write(JSON.stringify((user + system) / 1e6));
  palace.close();
}

async function main() {
  if (values.mine !== undefined) return mineStaged(values.mine, values.staged, values.undetected);
  if (values.base === undefined) throw new Error('--base <checkout> is missing');
  const history = join(temporaryFolder(), 'opencode.db');
  generateOpencode({ out: history, scale: Number(values.scale) });
  const machines = [ROOT, resolve(values.base)].map((root) => ({ root, machine: newMachine() }));
  for (const { root, machine } of machines)
    await runNode(machine, [join(root, 'bin', 'mempalace-session'), '--db', history, '--stage-only']);
  const [own, base] = machines.map((each) => ({ ...each, more: [], seconds: [] }));
  const meaning = values.meaning ? ['--meaning'] : [];
  const undetected = { ...own, more: ['--undetected'], seconds: [] };
  const builds = [own, base, undetected];
  for (let round = 0; round < Number(values.rounds); round += 1) {
    for (const { root, machine, more, seconds } of round % 2 === 0 ? builds : [...builds].reverse()) {
      const cache = join(machine.env.HOME, '.cache');
      const args = [fileURLToPath(import.meta.url), '--mine', root, '--staged', cache, ...more, ...meaning];
      const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8' });
      if (status !== 0) throw new Error(stderr);
      seconds.push(JSON.parse(stdout));
    }
  }
  const filing = values.meaning ? 'filing' : 'filing by words';
  const rows = [
    row(`${filing}, this build`, `${median(own.seconds).toFixed(2)} s of CPU`),
    row(`${filing}, the other build`, `${median(base.seconds).toFixed(2)} s of CPU`),
    moreRow('more than the other build, median of pairs', own.seconds, base.seconds, MOST_SHARE),
    moreRow('more than without detection, median of pairs', own.seconds, undetected.seconds, MOST_DETECTION),
  ];
  process.stdout.write(`${renderTable(rows)}\n`);
}

/** Pairs run under the same load. */
function moreRow(name, seconds, others, most) {
  const share = median(seconds.map((each, at) => each / others[at]));
  const percent = (value) => `${(100 * (value - 1)).toFixed(1)} %`;
  return row(name, percent(share), {
    target: `< ${percent(most)}`,
    met: share < most,
    note: `least of both: ${percent(Math.min(...seconds) / Math.min(...others))}`,
  });
}

await runBench(main);
