/** How long each program takes to print its help, next to an idle node. */
import { median, row, timeRow } from './support/figures.mjs';
import { newMachine, runNode, runProgram } from './support/machine.mjs';

const MOST_MS_ABOVE_NODE = 40;
const PROGRAMS = ['mempalace', 'mempalace-docs', 'mempalace-mcp', 'mempalace-session'];

/** @param {{ quick: boolean }} options */
export async function benchStartup({ quick }) {
  const machine = newMachine();
  const bare = [];
  const seconds = new Map(PROGRAMS.map((program) => [program, []]));
  for (let round = 0; round < (quick ? 3 : 15); round += 1) {
    bare.push((await runNode(machine, ['-e', '0'])).seconds);
    for (const program of PROGRAMS) {
      seconds.get(program).push((await runProgram(machine, program, ['--help'])).seconds);
    }
  }
  machine.remove();
  return [
    timeRow('node -e 0', bare, { unit: 'ms' }),
    ...PROGRAMS.map((program) => {
      const above = (median(seconds.get(program)) - median(bare)) * 1000;
      return row(`${program} --help, above node`, `${above.toFixed(0)} ms`, {
        target: `< ${MOST_MS_ABOVE_NODE} ms`,
        met: above < MOST_MS_ABOVE_NODE,
        note: `whole: ${(median(seconds.get(program)) * 1000).toFixed(0)} ms`,
      });
    }),
  ];
}
