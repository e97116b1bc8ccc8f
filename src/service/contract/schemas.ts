import type { z } from 'zod';
import { deleteText, fileTexts, keysOf, mark, updateText } from './filing.js';
import { find } from './finding.js';
import {
  addFact,
  endFact,
  factStats,
  facts,
  factTimeline,
  patterns,
  readDiary,
  replaceFact,
  writeDiary,
} from './knowing.js';
import {
  drawers,
  oneDrawer,
  places,
  readiness,
  reopen,
  roomMap,
  runs,
  similar,
  sources,
  status,
} from './listing.js';
import type { Method } from './methods.js';
import { byFile, drift, show, text, timeline, wakeUp } from './reading.js';

/** What goes into each method, and what comes out: plain data that survives JSON. */
export const SCHEMAS = {
  find,
  timeline,
  byFile,
  show,
  text,
  wakeUp,
  drift,
  status,
  readiness,
  places,
  roomMap,
  sources,
  runs,
  oneDrawer,
  drawers,
  similar,
  reopen,
  facts,
  factTimeline,
  factStats,
  addFact,
  endFact,
  replaceFact,
  patterns,
  readDiary,
  writeDiary,
  fileTexts,
  updateText,
  deleteText,
  mark,
  keysOf,
} satisfies Record<Method, { input: z.ZodType; output: z.ZodType }>;
