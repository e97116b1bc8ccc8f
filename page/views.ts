/** All views, in the groups of the sidebar. */
import type { ComponentType } from 'preact';
import type { Place } from './place.js';
import { Checkpoints } from './views/checkpoints.js';
import { Collections } from './views/collections.js';
import { Diary } from './views/diary.js';
import { Facts } from './views/facts.js';
import { Files } from './views/files.js';
import { Forget } from './views/forget.js';
import { Health } from './views/health.js';
import { Home } from './views/home.js';
import { Patterns } from './views/patterns.js';
import { Search } from './views/search.js';
import { Sources } from './views/sources.js';
import { Suggestions } from './views/suggestions.js';
import { Tasks } from './views/tasks.js';
import { WakeUp } from './views/wake-up.js';

export const GROUPS = ['Work', 'Knowledge', 'Upkeep'] as const;

interface View {
  title: string;
  group: (typeof GROUPS)[number];
  view: ComponentType<{ place: Place }>;
  /** Below *More* for as long as it is empty. */
  mayBeEmpty?: true;
}

export const VIEWS = {
  home: { title: 'Home', group: 'Work', view: Home },
  search: { title: 'Search', group: 'Work', view: Search },
  sources: { title: 'Sources', group: 'Work', view: Sources },
  files: { title: 'Files', group: 'Work', view: Files },
  checkpoints: { title: 'Checkpoints', group: 'Work', view: Checkpoints, mayBeEmpty: true },
  tasks: { title: 'Tasks', group: 'Work', view: Tasks, mayBeEmpty: true },
  facts: { title: 'Facts', group: 'Knowledge', view: Facts, mayBeEmpty: true },
  diary: { title: 'Diary', group: 'Knowledge', view: Diary, mayBeEmpty: true },
  collections: { title: 'Collections', group: 'Knowledge', view: Collections, mayBeEmpty: true },
  patterns: { title: 'Patterns', group: 'Knowledge', view: Patterns },
  'wake-up': { title: 'Wake-up', group: 'Upkeep', view: WakeUp },
  suggestions: { title: 'Suggestions', group: 'Upkeep', view: Suggestions },
  health: { title: 'Health', group: 'Upkeep', view: Health },
  forget: { title: 'Forget', group: 'Upkeep', view: Forget },
} satisfies Record<string, View>;

export type ViewName = keyof typeof VIEWS;
export const ALL_VIEWS = Object.entries<View>(VIEWS) as [ViewName, View][];

/** Names that links had before. */
const FORMER: Readonly<Record<string, ViewName>> = {
  browse: 'sources',
  told: 'wake-up',
  proposals: 'suggestions',
};

/** A source without a name is all sources. @returns undefined for a view that does not exist */
export function viewOf({ view = 'home', name = '' }: Place): ViewName | 'source' | undefined {
  if (view === 'source') return name === '' ? 'sources' : 'source';
  if (Object.hasOwn(FORMER, view)) return FORMER[view];
  return Object.hasOwn(VIEWS, view) ? (view as ViewName) : undefined;
}
