import { afterEach } from 'vitest';
import { cleanUp } from './cleanups.js';
import { forgetTheHost } from './environment.js';

forgetTheHost();
// Registered for each test file: modules are shared between files, and a hook of a module is one of its first importer.
afterEach(cleanUp);
