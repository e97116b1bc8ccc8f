import { leftOut } from '../config/cold.js';
import type { Config } from '../config/index.js';
import { NOTICE, quotable } from '../core/outside.js';
import { readIdentity } from '../reading/identity.js';
import { type WakeUp, wakeUp } from '../reading/wake-up.js';
import type { Palace } from '../store/index.js';

/** With fewer tokens nothing of use can be said. */
export const LEAST_TOKENS = 50;

/** Why there is no identity to begin with. */
export interface IdentityTrouble {
  path: string;
  /** Undefined where there is no such file. */
  reason: string | undefined;
}

/**
 * What an agent should know at the start, as the configuration has it.
 *
 * @param onTrouble called when the identity file is not there or cannot be read
 */
export function wakeUpOf(
  palace: Palace,
  config: Config,
  { wing, tokens, agent }: { wing: string | undefined; tokens: number; agent?: string | undefined },
  onTrouble: (trouble: IdentityTrouble) => void,
): WakeUp {
  const { identity: path } = config.wakeUp;
  const identity = readIdentity(path);
  if (identity.text === undefined) onTrouble({ path, reason: identity.trouble });
  return wakeUp(palace, {
    tokens,
    place: { wing, without: leftOut(config.search.cold, { wing }) },
    agent,
    identity: identity.text,
    weights: config.search.weights,
    halfLifeDays: config.search.halfLifeDays,
    now: Date.now(),
    notice: `memory (${NOTICE})`,
    clean: (text) => quotable(text),
  });
}
