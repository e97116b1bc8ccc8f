/** For `node --import`: appends every compiled addon that a thread of the process loads to the file $ADDONS, one per line. */
import { appendFileSync } from 'node:fs';

const { dlopen } = process;
process.dlopen = (module, file, ...flags) => {
  appendFileSync(process.env.ADDONS, `${file}\n`);
  return dlopen.call(process, module, file, ...flags);
};
