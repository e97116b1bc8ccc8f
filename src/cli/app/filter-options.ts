import type { Command, Option } from 'commander';
import { PRIORITIES } from '../../core/importance.js';
import { parseDay } from '../../core/moment.js';
import { choiceOption, parsedOption } from './options.js';

const dayOption = (flags: string, description: string): Option =>
  parsedOption(flags, description, (flag, text) => parseDay(flag, text, new Date()));

export function withFilterOptions(command: Command): Command {
  return command
    .option('--wing <name>', 'only in this wing')
    .option('--room <name>', 'only in this room')
    .addOption(
      dayOption('--since <when>', 'not older than a date, 3d, 2w, 6mo, or words such as "last friday"'),
    )
    .addOption(dayOption('--until <when>', 'not newer than this; takes the same values'))
    .option('--source <glob>', 'only sources whose path matches, such as "docs/*.md"')
    .option('--session <id>', 'only this session')
    .option('--directory <folder>', 'only sessions and documents of this folder or below')
    .option('--file <path>', 'only sessions that read or changed this file, and the file if it is filed')
    .option(
      '--type <type>',
      'only document, conversation, diary, drawer, checkpoint, summary, or a declared type',
    )
    .addOption(choiceOption('--priority <p>', 'only what has this priority', PRIORITIES));
}
