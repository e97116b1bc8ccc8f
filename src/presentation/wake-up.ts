import { leftOut } from '../config/cold.js';
import type { Config } from '../config/index.js';
import { NOTICE, quotable } from '../core/outside.js';
import { readIdentity } from '../reading/identity.js';
import { type WakeUp, wakeUp } from '../reading/wake-up.js';
import type { Palace } from '../store/index.js';

/** Least useful length. */
export const LEAST_TOKENS = 50;

/** Why there is no identity. */
export interface IdentityTrouble {
  path: string;
  /** Undefined when there is no such file. */
  reason: string | undefined;
}

/** The wake-up text for a configuration. @param onTrouble called when the identity file is missing or unreadable */
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
