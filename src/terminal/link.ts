import { hostname } from 'node:os';
import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';

/** OSC 8, as terminals that know it read it: gist.github.com/egmontkob/eb114294efbcd5adb1944c9f3cb5feda. */
const START = '\u001b]8;;';
const END = '\u001b\\';
const LINKS = /\u001b\]8;;[^\u001b]*\u001b\\/g;

/**
 * Makes text a link to a file of this machine. The address is percent-encoded, so that nothing in a path reaches the terminal
 * as a control character. Origins that are no absolute paths (`opencode://…`) stay as they are.
 */
export function linkToFile(origin: string, text: string): string {
  if (text === '' || !isAbsolute(origin)) return text;
  const url = pathToFileURL(origin);
  // Without its host, a terminal at the other end of an ssh connection would look for the file on its own machine.
  return `${START}file://${hostname()}${url.pathname}${END}${text}${START}${END}`;
}

/** Pagers that do not know links would show their addresses. */
export const withoutLinks = (text: string): string => text.replace(LINKS, '');
