/**
 * A whole backfill of a history of the seed's size on an empty machine, against the bare loop over the same
 * texts. The command reads the database, transcribes, redacts, stages, chunks, embeds,
 * writes and indexes; the bare loop (embedding-baseline.mjs) only tokenises and embeds. The figure
 * with the target compares the whole process with the loop alone;
 * the other one includes the start of the loop's process and the loading of its model.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_MODEL_ID, modelById } from '../dist/embedding/registry.js';
import { shownText } from '../dist/embedding/text.js';
import { Palace } from '../dist/store/index.js';
import { generateOpencode } from './generate-opencode.mjs';
import { median, row, timeRow } from './support/figures.mjs';
import { newMachine, ROOT, removeFolder, runJson, runNode, temporaryFolder } from './support/machine.mjs';

const LEAST_SHARE = 0.85;
const MOST_SECONDS = 45;

/** The distinct texts that were embedded for the sessions of a palace. */
export function embeddedTexts(folder) {
  const model = modelById(DEFAULT_MODEL_ID);
  const palace = Palace.read(folder);
  try {
    const texts = [...palace.sources.ofKind('conversation').values()].flatMap((source) =>
      palace.drawers.textsOf(source.id).map((text) => model.prefixes.passage + shownText(text)),
    );
    return [...new Set(texts)];
  } finally {
    palace.close();
  }
}

async function bareLoop(machine, file) {
  const script = join(ROOT, 'bench', 'embedding-baseline.mjs');
  const { seconds, cpuSeconds, stdout } = await runNode(machine, [script, '--texts', file], { usage: true });
  return { ...JSON.parse(stdout), wholeSeconds: seconds, cpuSeconds };
}

/** @param {{ quick: boolean, note: (text: string) => void }} options */
export async function benchBackfill({ quick, note }) {
  const folder = temporaryFolder();
  const database = join(folder, 'opencode.db');
  const history = generateOpencode({ out: database, ...(quick ? { scale: 0.2 } : {}) });
  const texts = join(folder, 'texts.json');
  const [commands, loops] = [[], []];
  let [sessions, drawers] = [0, 0];
  for (let round = 1; round <= (quick ? 1 : 3); round += 1) {
    const machine = newMachine();
    const command = await runJson(machine, 'mempalace-session', ['--db', database], { usage: true });
    const { new: filed, skipped } = command.json;
    drawers = command.json.drawers_added;
    sessions = filed;
    // Those with three messages with text, at least: the others have fewer, or messages of tools alone.
    if (filed < history.qualifying || filed + skipped !== history.sessions || !(drawers > 0)) {
      throw new Error(`${history.qualifying} sessions or more qualify, but the run says ${command.stdout}`);
    }
    if (round === 1) writeFileSync(texts, JSON.stringify(embeddedTexts(machine.palace)));
    const loop = await bareLoop(machine, texts);
    note(`round ${round}: command ${command.seconds.toFixed(2)} s, bare loop ${loop.seconds.toFixed(2)} s`);
    commands.push(command);
    loops.push(loop);
    machine.remove();
  }
  removeFolder(folder);

  const whole = commands.map((run) => run.seconds);
  const share = median(loops.map((run) => run.seconds)) / median(whole);
  const shareOfProcess = median(loops.map((run) => run.wholeSeconds)) / median(whole);
  const cpu = (runs) => median(runs.map((run) => run.cpuSeconds));
  const percent = (value) => `${(100 * value).toFixed(1)} %`;
  return [
    timeRow(`backfill, ${history.sessions} sessions, ${history.parts} parts`, whole, {
      ...(quick ? {} : { below: MOST_SECONDS }),
      note: `${sessions} sessions filed, ${drawers} drawers`,
    }),
    row('  drawers a second', (drawers / median(whole)).toFixed(0)),
    row('  peak memory', `${Math.max(...commands.map((run) => run.peakMegabytes)).toFixed(0)} MB`),
    timeRow(
      '  bare loop over the same texts',
      loops.map((run) => run.seconds),
      {
        note: `${loops[0].texts} distinct texts, ${loops[0].windows} windows`,
      },
    ),
    row('  speed, of the bare loop alone', percent(share), {
      ...(quick ? {} : { target: `≥ ${100 * LEAST_SHARE} %`, met: share >= LEAST_SHARE }),
      note: 'whole command with start-up, reading, filing',
    }),
    row('  speed, of the bare loop with start-up and model', percent(shareOfProcess)),
    row('  the same in CPU time', percent(cpu(loops) / cpu(commands)), {
      note: `${cpu(commands).toFixed(1)} s and ${cpu(loops).toFixed(1)} s: holds beside other work, too`,
    }),
  ];
}
