import { UserError } from '../../core/errors.js';
import { findTarget } from '../../reading/index.js';
import { linksOf, treeOf } from '../../search/index.js';
import type { Palace } from '../../store/index.js';
import type { Input, Output } from '../contract/index.js';
import { Views } from './views.js';

/** What a document or a session is connected with. */
export function related(palace: Palace, { name, paths }: Input<'related'>): Output<'related'> {
  return palace.snapshot(() => {
    const views = new Views(palace);
    const target = findTarget(palace, name, paths);
    const source = target.kind === 'source' ? target.source : palace.sources.byKey(target.drawer.sourceKey);
    if (source === undefined) throw new UserError('not-found', `the palace has no source ${name}`);
    const { to, from } = linksOf(palace, source);
    const connected = ({ source, link, line }: (typeof to)[number]) => ({
      ...views.source(source),
      link,
      line,
    });
    return {
      source: views.source(source),
      linksTo: to.map(connected),
      linkedFrom: from.map(connected),
      tree: treeOf(palace, source).map(({ source, relation, ofKey: of }) => ({
        ...views.source(source),
        relation,
        of,
      })),
    };
  });
}
