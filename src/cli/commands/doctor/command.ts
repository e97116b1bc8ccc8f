import { createCommand, type FlagsOf } from '../../app/options.js';
import { lazilyBare } from '../../app/runner.js';

const HELP = `
Checks versions, configuration, native modules, the palace, permissions, disk,
the model, opencode's databases, links and the last runs. Changes nothing. Exit
code 1 means that a check failed; warnings give 0.

Examples:
  mempalace doctor          problems, each with the next step
  mempalace doctor --full   also check every page of the palace`;

export const doctor = createCommand('doctor', 'Check the installation and the palace')
  .option(
    '--full',
    'also check every page, index and code of the palace (7 s for 500,000 drawers), and vectors after a change of the model',
  )
  .addHelpText('after', HELP);
export type DoctorFlags = FlagsOf<typeof doctor>;
doctor.action(lazilyBare(async () => (await import('./run.js')).runDoctor));
