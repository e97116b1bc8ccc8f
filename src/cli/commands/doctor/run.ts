import { resolve } from 'node:path';
import { examine, type Finding } from '../../../maintenance/doctor/index.js';
import { inPackage } from '../../../platform/in-package.js';
import { plural } from '../../../terminal/durations.js';
import type { StyleName } from '../../../terminal/io.js';
import { line, type Terminal } from '../../../terminal/terminal.js';
import { wrap } from '../../../terminal/wrap.js';
import { EXIT } from '../../app/exit.js';
import type { CommonFlags } from '../../app/options.js';
import type { BareContext } from '../../app/runner.js';
import { VERSION_TEXT } from '../../app/version.js';

export interface DoctorFlags extends CommonFlags {
  full?: boolean;
}

/** After the status and the label. */
const DETAIL_COLUMN = 26;
const STYLES: Record<Finding['status'], StyleName> = { ok: 'green', warn: 'yellow', fail: 'bold' };

export async function runDoctor(
  { terminal, env, folders }: BareContext,
  flags: DoctorFlags,
): Promise<number> {
  const { quiet } = terminal.options;
  const findings = await examine(
    {
      env,
      folders,
      palaceFlag: flags.palace,
      version: VERSION_TEXT,
      root: resolve(inPackage('')),
      full: flags.full === true,
      now: Date.now(),
    },
    (finding) => {
      if (!quiet || finding.status !== 'ok') print(finding, terminal);
    },
  );
  const count = (status: Finding['status']) => findings.filter((each) => each.status === status).length;
  const [warnings, failures] = [count('warn'), count('fail')];
  terminal.json({
    command: 'mempalace doctor',
    ok: count('ok'),
    warnings,
    failures,
    findings: findings.map((finding) => ({ ...finding, next: finding.next ?? null })),
  });
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
