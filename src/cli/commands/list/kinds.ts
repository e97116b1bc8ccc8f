/** What `mempalace list` lists. */
export const LISTS = ['wings', 'rooms', 'sources', 'runs'] as const;
