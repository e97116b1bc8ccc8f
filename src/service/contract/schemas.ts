import type { z } from 'zod';
import {
  changeCollection,
  collectionDrawers,
  collections,
  dropCollection,
  findInCollection,
} from './collecting.js';
import { deleteText, fileTexts, updateText } from './filing.js';
import { find } from './finding.js';
import { forget, forgetPreview } from './forgetting.js';
import { embed } from './lending.js';
import { drawers, oneDrawer, pulse, readiness, reopen, similar } from './listing.js';
import { metabolism } from './metabolism.js';
import type { Method } from './methods.js';
import { drift, show, text, timeline, wakeUp } from './reading.js';
import { announceSources, filedSources, fileReceived, receiveText } from './receiving.js';
import { fileSummary, sessionDigest, unsummarised } from './summarising.js';

/** What goes into each method, and what comes out: plain data that survives JSON. */
export const SCHEMAS = {
  find,
  timeline,
  show,
  text,
  wakeUp,
  drift,
  readiness,
  pulse,
  metabolism,
  oneDrawer,
  drawers,
  similar,
  embed,
  filedSources,
  announceSources,
  receiveText,
  fileReceived,
  reopen,
  unsummarised,
  sessionDigest,
  fileSummary,
  fileTexts,
  updateText,
  deleteText,
  collections,
  collectionDrawers,
  findInCollection,
  changeCollection,
  dropCollection,
  forgetPreview,
  forget,
} satisfies Record<Method, { input: z.ZodType; output: z.ZodType }>;
