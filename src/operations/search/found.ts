/** What a search finds, as the program that asked gets it: more than the document tells, for its text and for tools. */
import type { Hit as HitRow, Related as RelatedRow } from '../../search/index.js';
import type { Drawer } from '../../service/contract/index.js';
import type { Trouble } from '../../service/palace/models.js';

type Scored = Pick<HitRow, 'score' | 'scores'>;

/** The best passage of a source, or a passage. */
export interface Hit extends Pick<HitRow, 'score' | 'scores' | 'strength' | 'semantic' | 'places' | 'focus'> {
  drawer: Drawer;
  /** The drawer and adjacent ones that match too, in the order of the source. */
  passage: (Scored & { drawer: Drawer })[];
  /** Further matching drawers of the source, best first. */
  more: (Scored & { drawer: Pick<Drawer, 'drawerId' | 'lineStart' | 'lineEnd' | 'contentDate'> })[];
}

export interface Related extends Pick<RelatedRow, 'link' | 'from'> {
  drawer: Drawer;
}

export interface Found {
  /** What was searched: the end of a question that is too long. */
  query: string;
  /** What no hit contains: the words and texts that the question or the client excludes. */
  excluded: readonly string[];
  weak: boolean;
  /** Remarks, without the one that only words were compared. */
  notes: readonly string[];
  /** Why only words were compared, if the ranking compares meanings. */
  trouble?: Trouble | undefined;
  /** The question's phrases if no drawer contains all of them: the hits match its words instead. */
  absent: readonly string[];
  hits: readonly Hit[];
  related?: readonly Related[] | undefined;
}

/** Of the hits, in their order. */
export const idsOf = ({ hits }: Pick<Found, 'hits'>): string[] => hits.map(({ drawer }) => drawer.drawerId);
