import { parseDocument } from 'yaml';
import { replaceFile } from '../platform/atomic-write.js';
import { parseConfigFile } from './file.js';
import { readConfigText } from './read.js';
import type { ScalarKey } from './settings.js';

/**
 * Sets one value in the configuration file; comments, order and all other values stay. The file is replaced
 * as a whole (0600, in a folder made 0700 where there was none), and where it is a link, what the link names.
 *
 * @throws UserError `config` when the file is malformed, or would be with this value: then it stays as it is
 */
export function writeSetting(path: string, key: ScalarKey, value: string | number, home: string): void {
  const text = readConfigText(path) ?? '';
  parseConfigFile(text, path, home);
  const document = parseDocument(text);
  // A section that stands there without a value (`search:`) is no place to put something.
  const names = key.split('.');
  for (let depth = 1; depth < names.length; depth += 1) {
    const above = names.slice(0, depth);
    if (document.hasIn(above) && document.getIn(above) === null) document.deleteIn(above);
  }
  document.setIn(names, value);
  const changed = document.toString({ lineWidth: 0 });
  parseConfigFile(changed, path, home);
  replaceFile(path, changed);
}
