/** The passages that answer the first prompt of a session. */
import type { Config } from '../../config/index.js';
import { NOTICE, quotable } from '../../core/outside.js';
import { aroundOf } from '../../platform/checkout.js';
import { passagesText } from '../../reading/passages-text.js';
import type { Memory } from '../../reading/wake-up-text.js';
import type { PalaceService, ServiceCall } from '../../service/contract/index.js';
import type { Found, Hit } from './found.js';

/** The model that `LEAST_SCORE` was measured with. Other models have other similarities. */
export const MEASURED_MODEL = 'use-lite-int8';
/**
 * A passage with a lower score is not told. (Measured: `node bench/retrieval.mjs --only prompt`, docs/decisions/0014. From here on no
 * question about other matters gets a passage.)
 */
export const LEAST_SCORE = 0.6;
const MOST_PASSAGES = 3;

/**
 * The prompt as plain words: in a prompt, `"…"` is not the syntax of a search. Undefined for a command of the program
 * (`/deploy staging`), and without any text.
 */
export function questionIn(prompt: string | undefined): string | undefined {
  const question = prompt?.replace(/["“”„«»]/gu, ' ').trim();
  return question === undefined || question === '' || /^\/[\w:.-]+(?:\s|$)/.test(question)
    ? undefined
    : question;
}

/** Searches for the first prompt of a session. @param folder in which the session is */
export async function promptFound(
  service: PalaceService,
  { search: { weights, halfLifeDays: half_life_days, cold: cold_places } }: Config,
  { question: query, folder }: { question: string; folder: string | undefined },
  call: ServiceCall,
): Promise<Found> {
  const around = aroundOf(folder === undefined ? [] : [folder]);
  const asked = { query, around, cold_places, weights, half_life_days, limit: MOST_PASSAGES };
  return (await service.ask({ name: 'search', reads: true }, asked, call)) as unknown as Found;
}

/**
 * What is told with a prompt: the hits whose score, without a preference for the user's project, is good enough. Empty where only
 * words were compared: then the best hit always has a good score.
 */
export function promptText({ hits, trouble, weak }: Pick<Found, 'hits' | 'trouble' | 'weak'>): string {
  if (trouble !== undefined || weak) return '';
  const good = hits.filter(
    ({ semantic, scores }) => semantic !== undefined && scores.relevance >= LEAST_SCORE,
  );
  return passagesText(`memory (${NOTICE})`, good.slice(0, MOST_PASSAGES).map(passageOf));
}

function passageOf({ drawer, score }: Hit): Memory {
  const { title, wing, room, text } = drawer;
  const said = { title: quotable(title), wing: quotable(wing), room: quotable(room), text: quotable(text) };
  return { ...drawer, ...said, kind: 'drawer', score };
}
