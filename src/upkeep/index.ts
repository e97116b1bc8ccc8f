export { backupPalace } from './backup.js';
export { planRestore, restorePalace } from './restore.js';
