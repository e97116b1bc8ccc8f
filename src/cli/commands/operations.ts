/** Commands made of operations alone. */
import { commandOf } from '../../adapters/cli.js';
import { diary as diaries } from '../../operations/diary.js';
import { listing } from '../../operations/listing/index.js';
import { marks } from '../../operations/marks.js';
import { file as files } from '../../operations/reading/file.js';
import { patterns as recurring } from '../../operations/reading/patterns.js';
import { related as relations } from '../../operations/reading/related.js';
import { timeline as timelines } from '../../operations/reading/timeline.js';
import { tasks } from '../../operations/tasks.js';
import { createCommand } from '../app/options.js';

const DIARY_HELP = `
Without a command, diary prints the last entries.

An agent writes an entry about a session: decisions, findings, open tasks. The
whole text is stored in wing_<agent>, room diary. Search finds it, and
mempalace wake-up prints the last entries. The same text about the same topic
within a day is stored once, so a call can be repeated.

Examples:
  mempalace diary write --agent opencode "Set the cookie to Lax. Left: tests."
  mempalace diary read --agent opencode --last 3   the last three entries`;

export const diary = createCommand('diary', 'Read and write diaries of agents')
  .addCommand(commandOf(diaries.diaryRead), { isDefault: true })
  .addCommand(commandOf(diaries.diaryWrite))
  .addHelpText('after', DIARY_HELP);

const FILE_HELP = `
A path is absolute, or the end of one. What a session did to a file is known
from its calls of tools; a shell command counts only if it is certain what it
touches. Former names of a renamed file are followed.

Examples:
  mempalace file src/auth.ts               any file whose path ends like this
  mempalace file ~/shop/src/auth.ts        this file, in other checkouts too
  mempalace search --file auth.ts why      search in these sessions`;

export const file = commandOf(files.file).addHelpText('after', FILE_HELP);

const LIST_HELP = `
Without a command, list lists the wings.

Examples:
  mempalace list wings                      all wings
  mempalace list sources --wing wing_shop   sources in one wing
  mempalace list days --since 1mo           on which days something was done
  mempalace list work --since 3d            what sessions did, and what is open`;

export const list = createCommand('list', 'List wings, rooms, sources, days, work or runs')
  .addCommand(commandOf(listing.listWings), { isDefault: true })
  .addCommand(commandOf(listing.listRooms))
  .addCommand(commandOf(listing.listSources))
  .addCommand(commandOf(listing.listDays))
  .addCommand(commandOf(listing.listWork))
  .addCommand(commandOf(listing.listRuns))
  .addHelpText('after', LIST_HELP);

const PATTERNS_HELP = `
An error recurs if the same tool fails with the same message in at least two
sessions; folders, numbers, hashes, ids and times in it do not count. Its fix is
the first later success of the same command or file, with the files that were
changed before it. A decision, preference or architecture recurs if diary
entries with this topic, or facts with this predicate, say the same again.

Examples:
  mempalace patterns                        what recurs, most often first
  mempalace patterns --kind fix --file auth.ts
  mempalace patterns --project .            errors of sessions in this folder`;

export const patterns = commandOf(recurring.patterns).addHelpText('after', PATTERNS_HELP);

const RELATED_HELP = `
Of a document: the documents of its project that it links to, and those that
link to it, with [[name]] or with a path of Markdown. Of a session: the session
that it came from, its sub-agents, and its forks.

Examples:
  mempalace related docs/handbook.md`;

export const related = commandOf(relations.related).addHelpText('after', RELATED_HELP);

const SET_HELP = `
Runs do not change these values. A value set for a drawer applies to that
passage, and to its replacement after an edit. A value set for a document or
session applies to all its drawers, except those with their own priority.
wake-up prints pinned sources and those of high priority.

Examples:
  mempalace set docs/handbook.md --priority high   a document
  mempalace set drawer_1f0c8a2e --pin              a passage, by its id`;

export const set = commandOf(marks.set).addHelpText('after', SET_HELP);

const TASK_HELP = `
Without a command, task lists the tasks.

Agents leave work to each other, or to a later session. A task has one taker:
when several take at the same time, each gets another one.

Examples:
  mempalace task add "Check the rounding of refunds" --for codex
  mempalace task take --agent codex           the oldest open task
  mempalace task done 7 --result "half up, as for invoices"`;

export const task = createCommand('task', 'Tasks that agents leave to each other')
  .addCommand(commandOf(tasks.taskAdd))
  .addCommand(commandOf(tasks.taskTake))
  .addCommand(commandOf(tasks.taskDone))
  .addCommand(commandOf(tasks.taskList), { isDefault: true })
  .addCommand(commandOf(tasks.taskDrop))
  .addHelpText('after', TASK_HELP);

const TIMELINE_HELP = `
Examples:
  mempalace timeline drawer_1f0c8a2e --radius 5   five passages before and after`;

export const timeline = commandOf(timelines.timeline).addHelpText('after', TIMELINE_HELP);
