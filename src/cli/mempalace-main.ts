import { runProgram } from './program.js';
import { program } from './programs/mempalace.js';
import { config } from './commands/config.js';
import { doctor } from './commands/doctor.js';
import { init } from './commands/init.js';
import { list } from './commands/list.js';
import { mine } from './commands/mine.js';
import { model } from './commands/model.js';
import { reembed } from './commands/reembed.js';
import { repair, repairStatus } from './commands/repair.js';
import { search } from './commands/search.js';
import { set } from './commands/set.js';
import { show } from './commands/show.js';
import { status } from './commands/status.js';
import { timeline } from './commands/timeline.js';
import { wakeUp } from './commands/wake-up.js';
import { createCommand, runProgram } from './program.js';

const TRY = `
Try:
  mempalace-docs ~/my-project             file the documents of a project
  mempalace-session                       file the sessions of opencode
  mempalace search "why do we round up"   find the passage again
  mempalace wake-up                       what an agent should know at the start
  mempalace status                        see what the palace holds`;

const program = createCommand(
  'mempalace',
  'The memory palace: files documents and sessions, and finds them again.',
)
  .usage('[options] <command>')
  .helpCommand('help [command]', 'print the help of a command')
  .addHelpText('after', TRY)
  .addCommand(mine)
  .addCommand(search)
  .addCommand(timeline)
  .addCommand(show)
  .addCommand(wakeUp)
  .addCommand(set)
  .addCommand(status)
  .addCommand(list)
  .addCommand(model)
  .addCommand(reembed)
  .addCommand(config)
  .addCommand(init)
  .addCommand(doctor)
  .addCommand(repair)
  .addCommand(repairStatus);

await runProgram(program, process.argv.slice(2));
