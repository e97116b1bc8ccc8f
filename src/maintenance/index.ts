export { backupPalace } from './backup/backup.js';
export { damagedPalaces, planRestore, restorePalace } from './backup/restore.js';
export {
  type ErasedBackup,
  type Forgettable,
  findMeant,
  forget,
  forgetFacts,
  type Meant,
  planBackups,
} from './forget.js';
export { exportLines } from './transfer/export-lines.js';
export { exportTree } from './transfer/export-tree.js';
export { exportedModel, importLines } from './transfer/import.js';
