export { Activity } from './activity.js';
export { maskedMessage } from './messages.js';
export {
  ACTIVITY_VERSION,
  activityOfText,
  type DerivedActivity,
  TextActivity,
} from './text-activity.js';
export type * from './types.js';
