import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { removeFolder } from './cleanups.js';
import { has } from './tools.js';

/** A folder, and the same folder through FUSE, as virtual machines and Docker Desktop share folders. */
interface SharedFolder {
  behind: string;
  mounted: string;
  unmount(): void;
}

function mount(): SharedFolder | undefined {
  const base = mkdtempSync(join(tmpdir(), 'mempalace-fuse-'));
  const [behind, mounted] = [join(base, 'behind'), join(base, 'mounted')];
  for (const folder of [behind, mounted]) mkdirSync(folder);
  const unmount = () => {
    spawnSync('umount', [mounted]);
    removeFolder(base);
  };
  if (spawnSync('bindfs', [behind, mounted]).status === 0) return { behind, mounted, unmount };
  removeFolder(base);
  return undefined;
}

/** Whether this machine can mount one. */
export function canMountFuse(): boolean {
  const folder = has('bindfs') ? mount() : undefined;
  folder?.unmount();
  return folder !== undefined;
}

/** A shared folder that exists until the end of the test. @throws Error if `canMountFuse` is false */
export function sharedFolder(): SharedFolder {
  const folder = mount();
  if (folder === undefined) throw new Error('bindfs does not work here');
  onTestFinished(folder.unmount);
  return folder;
}
