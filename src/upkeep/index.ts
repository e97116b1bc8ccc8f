export { backupPalace } from './backup.js';
export { exportLines } from './export-lines.js';
export { exportTree } from './export-tree.js';
export {
  type ErasedBackup,
  type Forgettable,
  findMeant,
  forget,
  forgetFacts,
  type Meant,
  planBackups,
} from './forget.js';
export { exportedModel, importLines } from './import.js';
export { damagedPalaces, planRestore, restorePalace } from './restore.js';
export { type UncleanBackup, uncleanBackups } from './unclean-backups.js';
