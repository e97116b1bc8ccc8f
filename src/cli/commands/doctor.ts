import { resolve } from 'node:path';
import { examine, type Finding } from '../../maintenance/doctor/index.js';
import { inPackage } from '../../platform/in-package.js';
import { plural } from '../../terminal/durations.js';
import type { StyleName } from '../../terminal/io.js';
import { line, type Terminal } from '../../terminal/terminal.js';
import { wrap } from '../../terminal/wrap.js';
import { EXIT } from '../app/exit.js';
import { createCommand, type FlagsOf } from '../app/options.js';
import { type Answering, type BareContext, bareAction } from '../app/runner.js';
import { VERSION_TEXT } from '../app/version.js';

const HELP = `
Checks versions, configuration, native modules, the palace, permissions, disk,
the model, the agents' sessions, links and the last runs. Changes nothing. Exit
code 1 means that a check failed; warnings give 0.

Examples:
  mempalace doctor          problems, each with the next step
  mempalace doctor --full   also check every page of the palace`;

export const command = createCommand('doctor', 'Check the installation and the palace')
  .option(
    '--full',
    'also check every page, index and code of the palace (7 s for 500,000 drawers), and vectors after a change of the model',
  )
  .addHelpText('after', HELP);
command.action(bareAction(runDoctor));

/** After the status and the label. */
const DETAIL_COLUMN = 26;
const STYLES: Record<Finding['status'], StyleName> = { ok: 'green', warn: 'yellow', fail: 'bold' };

async function runDoctor(
  { terminal, env, folders, answer }: BareContext & Answering,
  { palace: palaceFlag, full = false }: FlagsOf<typeof command>,
): Promise<number> {
  const { quiet } = terminal.options;
  const place = { env, folders, palaceFlag, version: VERSION_TEXT, root: resolve(inPackage('')) };
  const findings = await examine({ ...place, full, now: Date.now() }, (finding) => {
    if (!quiet || finding.status !== 'ok') print(finding, terminal);
  });
  const count = (status: Finding['status']) => findings.filter((each) => each.status === status).length;
  const [warnings, failures] = [count('warn'), count('fail')];
  const shown = findings.map((finding) => ({ ...finding, next: finding.next ?? null }));
  answer({ ok: count('ok'), warnings, failures, findings: shown });
  const summary =
    failures + warnings === 0 ? 'no problems' : `${failures} failed, ${plural(warnings, 'warning')}`;
  terminal.say(`${summary}, ${count('ok')} ok`);
  return failures > 0 ? EXIT.failed : EXIT.done;
}

function print({ status, label, detail, next }: Finding, terminal: Terminal): void {
  const mark = terminal.style(STYLES[status], status.padEnd(4));
  const shown = (text: string, hanging: number) => terminal.data(wrap(text, terminal.width, hanging));
  shown(`${mark}  ${line(label).padEnd(18)}  ${line(detail)}`, DETAIL_COLUMN);
  if (next !== undefined) shown(`${' '.repeat(DETAIL_COLUMN)}→ ${line(next)}`, DETAIL_COLUMN + 2);
}
