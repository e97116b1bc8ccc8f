export { Activity } from './activity.js';
export { maskedMessage } from './messages.js';
export { type Outcome, outcomeOf, type SaidCall } from './outcome.js';
export {
  ACTIVITY_VERSION,
  activityOfText,
  type DerivedActivity,
  TextActivity,
} from './text-activity.js';
export type * from './types.js';
