export {
  HARNESSES,
  type Harness,
  HOOKS,
  type Hook,
  type HookInput,
  hookOutput,
  readHookInput,
} from './protocol.js';
export { enqueue, hooksFolder, noted, putBack, settle, type Taken, take, waiting } from './queue.js';
export { drawTicket, passTicket, returnTicket } from './ticket.js';
