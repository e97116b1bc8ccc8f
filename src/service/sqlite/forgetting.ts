import { namesOf, previewForgetting } from '../../maintenance/forgettable.js';
import type { Palace } from '../../store/index.js';
import type { Input, Output } from '../contract/index.js';

export function forgetPreview(
  palace: Palace,
  { what, removeBackups }: Input<'forgetPreview'>,
): Output<'forgetPreview'> {
  const { sources, tombstones, ...preview } = previewForgetting(palace, what, removeBackups);
  return {
    ...preview,
    sources: namesOf(sources),
    forgotten: tombstones.map(({ sourceKey, origin }) => ({ sourceKey, origin })),
    drawers: sources.reduce((sum, { drawers }) => sum + drawers, 0),
  };
}
