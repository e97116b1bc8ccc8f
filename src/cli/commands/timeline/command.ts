import { commandOf } from '../../../adapters/cli.js';
import { timeline as operations } from '../../../operations/reading/timeline.js';

const EXAMPLES = `
Examples:
  mempalace timeline drawer_1f0c8a2e --radius 5   five passages before and after`;

export const timeline = commandOf(operations.timeline).addHelpText('after', EXAMPLES);
