export { unchecked, verifyAbsent, verifyDocument, verifyElsewhere } from './documents.js';
export { disagrees, type Finding, findingOf, STATUSES, type Status } from './finding.js';
export { withGone } from './live.js';
export { removeOrphans, stillOrphaned, verifySessions } from './sessions.js';
