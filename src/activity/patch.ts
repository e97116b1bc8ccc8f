import type { FileAction, FileTouch } from './types.js';

/** The first line of a patch as Codex and opencode apply it. */
export const PATCH_BEGIN = '*** Begin Patch';

const ACTIONS: Readonly<Record<string, FileAction>> = { Add: 'written', Update: 'edited', Delete: 'deleted' };
const FILE_LINE = /^\*\*\* (Add|Update|Delete) File: (.+)$/;
const MOVE_LINE = /^\*\*\* Move to: (.+)$/;

/** The files of a patch in Codex's format; lines before and after the patch are ignored. */
export function touchesOfPatch(patch: string): FileTouch[] {
  const touches: FileTouch[] = [];
  for (const line of patch.slice(Math.max(0, patch.indexOf(PATCH_BEGIN))).split(/\r?\n/)) {
    if (line === '*** End Patch') break;
    const [, verb = '', path = ''] = FILE_LINE.exec(line) ?? [];
    const action = ACTIONS[verb];
    if (action !== undefined) touches.push({ path: path.trim(), action });
    const target = MOVE_LINE.exec(line)?.[1]?.trim();
    const last = touches.at(-1);
    if (target === undefined || last === undefined) continue;
    touches.push({ path: target, action: 'renamed', from: last.path });
    // Its new path is the one that was edited.
    last.path = target;
  }
  return touches;
}
