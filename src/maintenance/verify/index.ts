/** Whether the palace holds what its sources say: sessions, documents, and every part of a session. */
export { unchecked, verifyAbsent, verifyDocument, verifyElsewhere } from './documents.js';
export { disagrees, type Finding, findingOf, STATUSES, type Status } from './finding.js';
export { removeOrphans, stillOrphaned } from './orphans.js';
export { verifySessions } from './sessions.js';
