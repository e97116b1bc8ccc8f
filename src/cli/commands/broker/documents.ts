/** What commands of the machine answer: the page asks for it, too. */
export { configDocument } from '../config/command.js';
export { logDocument } from '../log.js';
export { projectsDocument } from '../projects/command.js';
export { scheduleDocument } from '../schedule/command.js';
