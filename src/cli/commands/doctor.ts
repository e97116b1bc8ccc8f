import type { DoctorFlags } from '../doctor.js';
import { createCommand, performBare } from '../program.js';

const HELP = `
Looks at versions, configuration, native modules, the palace, permissions, disk, the model, opencode's
databases, links and the last runs. Changes nothing. Exit code 1 when something fails; warnings are 0.`;

export const doctor = createCommand('doctor', 'Say what is wrong with the installation and the palace')
  .option('--full', 'check every page, index and code of the palace (7 s for 500,000 drawers)')
  .addHelpText('after', HELP)
  .action((flags: DoctorFlags) =>
    performBare(flags, async (session) => (await import('../doctor.js')).runDoctor(flags, session)),
  );
