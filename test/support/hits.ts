import type { Hit } from '../../src/operations/search/found.js';
import type { Drawer } from '../../src/service/contract/index.js';
import type { Paint } from '../../src/terminal/io.js';

type Ranked = Omit<Hit, 'strength' | 'passage' | 'more'>;

/** A drawer as search returns it. */
function drawerOf(changes: Partial<Drawer> = {}): Drawer {
  const text = changes.text ?? 'Port 8443, since 443 needs root.';
  return {
    drawerId: 'drawer_0123456789abcdef01234567',
    text,
    title: 'Proxy',
    context: '',
    place: 'docs/proxy.md',
    wing: 'wing_shop',
    room: 'docs',
    sourceKey: 'doc:1/docs/proxy.md',
    sourceFile: 'mempalace-docs/wing_shop/shop/docs/proxy.md',
    origin: '/home/dev/shop/docs/proxy.md',
    kind: 'document',
    textKind: 'prose',
    sessionId: null,
    directory: null,
    chunkIndex: 0,
    lineStart: 3,
    lineEnd: 9,
    contentDate: '2026-02-01',
    day: '2026-02-01',
    role: null,
    charStart: 0,
    charEnd: text.length,
    priority: null,
    pinned: false,
    turns: null,
    ...changes,
  };
}

export function rankedOf(changes: Partial<Drawer> = {}, bm25 = 3.5): Ranked {
  return {
    drawer: drawerOf(changes),
    semantic: 0.5,
    places: bm25 > 0 ? { lexical: 0 } : { semantic: 0 },
    score: 0.75,
    scores: {
      lexical: bm25 > 0 ? 1 : 0,
      semantic: 0.5,
      bm25,
      match: 0.75,
      beside: 0,
      source: 0,
      words: 0,
      drawers: 1,
      relevance: 0.75,
      recency: 0.25,
      importance: 0.6,
      here: 0,
    },
  };
}

export function hitOf(changes: Partial<Drawer> = {}, more: Ranked[] = []): Hit {
  const ranked = rankedOf(changes);
  return { ...ranked, passage: [ranked], more, strength: 0.75 };
}

/** Styles that are readable in a test. */
export const tagged: Paint = (style, text) => `<${style}>${text}</${style}>`;
export const unpainted: Paint = (_, text) => text;
