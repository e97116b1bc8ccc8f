import { withCommonOptions } from '../app/options.js';
import { backup } from '../commands/backup.js';
import { broker } from '../commands/broker/command.js';
import { checkpoint } from '../commands/checkpoint/command.js';
import { collection } from '../commands/collection/command.js';
import { completion } from '../commands/completion/command.js';
import { config } from '../commands/config/command.js';
import { doctor } from '../commands/doctor/command.js';
import { exportCommand } from '../commands/export/command.js';
import { forget } from '../commands/forget/command.js';
import { helpCommand } from '../commands/help/command.js';
import { hook } from '../commands/hook/command.js';
import { importCommand } from '../commands/import/command.js';
import { importChroma } from '../commands/import-chroma/command.js';
import { init } from '../commands/init/command.js';
import { kg } from '../commands/kg/command.js';
import { log } from '../commands/log/command.js';
import { manifest } from '../commands/manifest/command.js';
import { map } from '../commands/map/command.js';
import { mcp } from '../commands/mcp/command.js';
import { metabolism } from '../commands/metabolism/command.js';
import { mine } from '../commands/mine/command.js';
import { model } from '../commands/model/command.js';
import {
  conflicts,
  diary,
  file,
  list,
  patterns,
  related,
  set,
  task,
  timeline,
} from '../commands/operations.js';
import { projects } from '../commands/projects/command.js';
import { reembed } from '../commands/reembed/command.js';
import { repair, repairStatus } from '../commands/repair/command.js';
import { restore } from '../commands/restore/command.js';
import { schedule } from '../commands/schedule/command.js';
import { scrub } from '../commands/scrub/command.js';
import { search } from '../commands/search/command.js';
import { serve } from '../commands/serve/command.js';
import { show } from '../commands/show/command.js';
import { status } from '../commands/status/command.js';
import { summarise } from '../commands/summarise/command.js';
import { ui } from '../commands/ui/command.js';
import { verify } from '../commands/verify/command.js';
import { wakeUp } from '../commands/wake-up/command.js';
import { emptyProgram } from './needed.js';

const EXAMPLES = `
Examples:
  mempalace-docs ~/my-project             file the documents of a project
  mempalace-session                       file the sessions of opencode
  mempalace search "why do we round up"   find the passage again
  mempalace wake-up                       context for the start of a session
  mempalace status                        contents of the palace, and last runs`;

export const program = withCommonOptions(
  emptyProgram()
    .addHelpText('after', EXAMPLES)
    .commandsGroup('Fill the palace:')
    .addCommand(mine)
    .commandsGroup('Find and read:')
    .addCommand(search)
    .addCommand(timeline)
    .addCommand(show)
    .addCommand(file)
    .addCommand(related)
    .addCommand(patterns)
    .addCommand(wakeUp)
    .addCommand(list)
    .addCommand(map)
    .addCommand(collection)
    .addCommand(ui)
    .addCommand(set)
    .addCommand(checkpoint)
    .addCommand(summarise)
    .addCommand(diary)
    .addCommand(kg)
    .addCommand(conflicts)
    .addCommand(task)
    .commandsGroup('Maintain the palace:')
    .addCommand(status)
    .addCommand(doctor)
    .addCommand(log)
    .addCommand(verify)
    .addCommand(repair)
    .addCommand(repairStatus)
    .addCommand(backup)
    .addCommand(restore)
    .addCommand(forget)
    .addCommand(scrub)
    .addCommand(metabolism)
    .addCommand(exportCommand)
    .addCommand(importCommand)
    .addCommand(importChroma)
    .addCommand(model)
    .addCommand(reembed)
    .commandsGroup('Set up:')
    .addCommand(init)
    .addCommand(manifest)
    .addCommand(config)
    .addCommand(projects)
    .addCommand(schedule)
    .addCommand(mcp)
    .addCommand(broker)
    .addCommand(serve)
    .addCommand(completion)
    .addCommand(hook)
    .addCommand(helpCommand()),
);
