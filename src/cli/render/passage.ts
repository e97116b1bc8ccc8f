import type { DrawerView } from '../../store/index.js';

type Slice = Pick<DrawerView, 'text' | 'charStart' | 'charEnd'>;

/** The drawers' texts as they stand in the source; what lies between two that do not touch was left out there. */
export function passageText(drawers: readonly Slice[]): string {
  let text = '';
  let end: number | undefined;
  for (const drawer of drawers) {
    if (end !== undefined && drawer.charStart !== end) text += '\n[…]\n';
    text += drawer.text;
    end = drawer.charEnd;
  }
  return text;
}
