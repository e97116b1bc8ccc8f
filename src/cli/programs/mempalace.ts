import { backup } from '../commands/backup.js';
import { completion } from '../commands/completion.js';
import { config } from '../commands/config.js';
import { diary } from '../commands/diary.js';
import { doctor } from '../commands/doctor.js';
import { exportCommand } from '../commands/export.js';
import { forget } from '../commands/forget.js';
import { hook } from '../commands/hook.js';
import { importCommand } from '../commands/import.js';
import { importChroma } from '../commands/import-chroma.js';
import { init } from '../commands/init.js';
import { kg } from '../commands/kg.js';
import { list } from '../commands/list.js';
import { mcp } from '../commands/mcp.js';
import { mine } from '../commands/mine.js';
import { model } from '../commands/model.js';
import { projects } from '../commands/projects.js';
import { reembed } from '../commands/reembed.js';
import { repair, repairStatus } from '../commands/repair.js';
import { restore } from '../commands/restore.js';
import { schedule } from '../commands/schedule.js';
import { scrub } from '../commands/scrub.js';
import { search } from '../commands/search.js';
import { set } from '../commands/set.js';
import { show } from '../commands/show.js';
import { status } from '../commands/status.js';
import { timeline } from '../commands/timeline.js';
import { verify } from '../commands/verify.js';
import { wakeUp } from '../commands/wake-up.js';
import { createCommand, withCommonOptions } from '../options.js';

const EXAMPLES = `
Examples:
  mempalace-docs ~/my-project             file the documents of a project
  mempalace-session                       file the sessions of opencode
  mempalace search "why do we round up"   find the passage again
  mempalace wake-up                       what an agent should know at the start
  mempalace status                        what the palace holds`;

/** `mempalace`, declared and not yet run. */
export const program = withCommonOptions(
  createCommand('mempalace', 'The memory palace: files documents and sessions, and finds them again')
    .usage('[options] <command>')
    .addHelpText('after', EXAMPLES)
    .commandsGroup('Fill the palace:')
    .addCommand(mine)
    .commandsGroup('Find and read:')
    .addCommand(search)
    .addCommand(timeline)
    .addCommand(show)
    .addCommand(wakeUp)
    .addCommand(list)
    .addCommand(set)
    .addCommand(diary)
    .addCommand(kg)
    .commandsGroup('Look after the palace:')
    .addCommand(status)
    .addCommand(doctor)
    .addCommand(verify)
    .addCommand(repair)
    .addCommand(repairStatus)
    .addCommand(backup)
    .addCommand(restore)
    .addCommand(forget)
    .addCommand(scrub)
    .addCommand(exportCommand)
    .addCommand(importCommand)
    .addCommand(importChroma)
    .addCommand(model)
    .addCommand(reembed)
    .commandsGroup('Set up:')
    .addCommand(init)
    .addCommand(config)
    .addCommand(projects)
    .addCommand(schedule)
    .addCommand(mcp)
    .addCommand(completion)
    .addCommand(hook)
    .helpCommand('help [command]', 'Print the help of a command'),
);
