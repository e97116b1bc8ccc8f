import { Option } from 'commander';
import { commandOf } from '../../adapters/cli.js';
import { search as operation } from '../../operations/search/index.js';

const SYNTAX = `
A query is plain words, and so is a command in it, such as git commit -m: put it
in quotation marks of the shell, or after --. Every hit contains "quoted words"
exactly. If no passage contains them exactly, a note says so, and the hits match
them as plain words. No hit contains -"quoted words", or the words of --not.
A time, such as "last week" or "in March 2023", prefers text of that time.

In a filed project, its documents and sessions are preferred, unless the search
is limited to a wing, room, source, session, directory or file.

Examples:
  mempalace search why do we round up         in your own words
  mempalace search '"SameSite"' --not login   exact words, without another
  mempalace search proxy port --since 2w      from the last two weeks`;

export const command = commandOf(operation)
  .addOption(new Option('--details', 'as --explain').hideHelp().implies({ explain: true }))
  .addOption(new Option('--raw', '--rank semantic').hideHelp().implies({ rank: 'semantic' }))
  .addHelpText('after', SYNTAX);
