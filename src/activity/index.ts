export { Activity } from './activity.js';
export { maskedMessage } from './messages.js';
export type * from './types.js';
