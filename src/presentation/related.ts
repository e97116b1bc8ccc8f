/** What a document or a session is connected with, as a document. */
import { NOTICE } from '../core/outside.js';
import type { Connections } from '../service/contract/index.js';
import { sourceJson } from './drawers.js';

type Connected = Connections['linksTo'][number];

export function relatedDocument({ source, linksTo, linkedFrom, tree }: Connections) {
  const whole = (each: Connections['source']) => sourceJson(each, each.drawers);
  const connected = (each: Connected) => ({ ...whole(each), link: each.link, line: each.line });
  return {
    notice: NOTICE,
    source: whole(source),
    links_to: linksTo.map(connected),
    linked_from: linkedFrom.map(connected),
    tree: tree.map((each) => ({ ...whole(each), relation: each.relation, of: each.of })),
  };
}
