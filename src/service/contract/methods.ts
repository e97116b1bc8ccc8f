/**
 * The use cases of a palace. `reads`: it changes nothing, so that it may be asked again, and run beside others. Without
 * the schemas, which a command does not load at its start.
 */
export const METHODS = {
  find: { reads: true },
  timeline: { reads: true },
  byFile: { reads: true },
  show: { reads: true },
  text: { reads: true },
  wakeUp: { reads: true },
  drift: { reads: true },
  status: { reads: true },
  readiness: { reads: true },
  places: { reads: true },
  roomMap: { reads: true },
  sources: { reads: true },
  runs: { reads: true },
  oneDrawer: { reads: true },
  drawers: { reads: true },
  similar: { reads: true },
  reopen: { reads: false },
  facts: { reads: true },
  factTimeline: { reads: true },
  factStats: { reads: true },
  addFact: { reads: false },
  endFact: { reads: false },
  replaceFact: { reads: false },
  patterns: { reads: true },
  conflicts: { reads: true },
  resolveConflict: { reads: false },
  checkpoints: { reads: true },
  readDiary: { reads: true },
  writeDiary: { reads: false },
  fileTexts: { reads: false },
  updateText: { reads: false },
  deleteText: { reads: false },
  mark: { reads: false },
  keysOf: { reads: true },
  collections: { reads: true },
  collectionDrawers: { reads: true },
  findInCollection: { reads: true },
  changeCollection: { reads: false },
  dropCollection: { reads: false },
  tasks: { reads: true },
  addTask: { reads: false },
  takeTask: { reads: false },
  finishTask: { reads: false },
  dropTask: { reads: false },
} as const;

export type Method = keyof typeof METHODS;

export const isMethod = (name: string): name is Method => Object.hasOwn(METHODS, name);
