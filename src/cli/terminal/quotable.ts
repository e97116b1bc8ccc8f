import { plain } from './terminal.js';

/** Text without what a terminal would obey and without line breaks that only some programs see. */
export function quotable(text: string, tabsExpanded: boolean): string {
  const clean = plain(text).replace(/[\u2028\u2029]/g, '\n');
  return tabsExpanded ? clean.replaceAll('\t', '    ') : clean;
}
