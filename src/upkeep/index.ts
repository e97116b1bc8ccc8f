export { backupPalace } from './backup.js';
export {
  backupsThatHold,
  type ErasedBackup,
  type Forgettable,
  findMeant,
  forget,
  type Meant,
} from './forget.js';
export { planRestore, restorePalace } from './restore.js';
