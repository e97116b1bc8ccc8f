import { commandOf } from '../../../adapters/cli.js';
import { file as operations } from '../../../operations/reading/file.js';

const EXAMPLES = `
A path is absolute, or the end of one. What a session did to a file is known
from its calls of tools; a shell command counts only if it is certain what it
touches. Former names of a renamed file are followed.

Examples:
  mempalace file src/auth.ts               any file whose path ends like this
  mempalace file ~/shop/src/auth.ts        this file, in other checkouts too
  mempalace search --file auth.ts why      search in these sessions`;

export const file = commandOf(operations.file).addHelpText('after', EXAMPLES);
