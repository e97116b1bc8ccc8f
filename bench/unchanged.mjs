/** The cost of a run without new sources: both feeders over 1,000 filed sources, and dry runs. */
import { join } from 'node:path';
import { generateDocs } from './generate-docs.mjs';
import { generateOpencode } from './generate-opencode.mjs';
import { timeRow } from './support/figures.mjs';
import { newMachine, runJson } from './support/machine.mjs';

const MOST_SECONDS = 0.5;
const MOST_DRY_SECONDS = 1;

/** Fills a palace, then repeats the same command; every further run must file nothing. */
async function rerun(machine, program, args, sources, runs) {
  const first = await runJson(machine, program, args);
  if (first.json.new !== sources) throw new Error(`${sources} sources, but the run says ${first.stdout}`);
  const seconds = [];
  for (let run = 0; run < runs; run += 1) {
    const again = await runJson(machine, program, args);
    if (again.json.unchanged !== sources || again.json.drawers_added !== 0) {
      throw new Error(`nothing changed, but the run says ${again.stdout}`);
    }
    seconds.push(again.seconds);
  }
  return seconds;
}

async function repeated(machine, program, args, runs) {
  const seconds = [];
  for (let run = 0; run < runs; run += 1) seconds.push((await runJson(machine, program, args)).seconds);
  return seconds;
}

/** @param {{ quick: boolean, note: (text: string) => void }} options */
export async function benchUnchanged({ quick, note }) {
  const sources = quick ? 100 : 1000;
  const runs = quick ? 2 : 7;
  const machine = newMachine();
  const below = quick ? {} : { below: MOST_SECONDS };

  const sessions = join(machine.folder, 'many.db');
  generateOpencode({ out: sessions, unchangedSessions: sources });
  const session = await rerun(machine, 'mempalace-session', ['--db', sessions], sources, runs);
  note('sessions done');

  const project = join(machine.folder, 'project');
  generateDocs({ out: project, files: sources });
  const docs = await rerun(machine, 'mempalace-docs', [project], sources, runs);
  const docsDry = await repeated(machine, 'mempalace-docs', [project, '--dry-run'], runs);
  note('documents done');

  const history = join(machine.folder, 'opencode.db');
  generateOpencode({ out: history });
  const empty = newMachine();
  const dry = await repeated(empty, 'mempalace-session', ['--db', history, '--dry-run'], runs);
  empty.remove();
  machine.remove();
  return [
    timeRow(`mempalace-session, ${sources} unchanged sessions`, session, below),
    timeRow(`mempalace-docs, ${sources} unchanged documents`, docs, below),
    timeRow(`mempalace-docs --dry-run, ${sources} unchanged documents`, docsDry),
    timeRow('mempalace-session --dry-run, 140 sessions, empty palace', dry, { below: MOST_DRY_SECONDS }),
  ];
}
