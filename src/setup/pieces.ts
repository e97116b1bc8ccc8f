import type { JsonPath } from '../clients/json.js';

/** The agents that `mempalace setup` knows. */
export const AGENT_IDS = ['claude-code', 'opencode', 'codex', 'cursor', 'pi', 'kimi'] as const;
export type AgentId = (typeof AGENT_IDS)[number];

/** What can be chosen with `--only` of what an agent's own files contain. */
export const FILE_STEPS = ['mcp', 'hooks', 'skill'] as const;
export type FileStep = (typeof FILE_STEPS)[number];

/** A part of an agent's configuration file. Its functions throw UserError `config` for a text that they cannot change safely. */
export interface TextPiece {
  steps: readonly FileStep[];
  /** Absolute. */
  file: string;
  /** Adds what is missing, and corrects the path of the program. @param text undefined for a missing file */
  set(text: string | undefined): string;
  /** Removes what is ours; containers that are empty then stay. */
  remove(text: string): string;
  /** The objects and lists of a JSON file that it may add, the inner ones first. */
  containers: readonly JsonPath[];
}

/** A link to a file of this package. */
export interface LinkPiece {
  steps: readonly FileStep[];
  /** Absolute. */
  file: string;
  /** Absolute. */
  target: string;
  /** Whether a regular file in its place is a copy of ours, perhaps an older one. */
  isCopy(text: string): boolean;
  /** The agent loads the target without the link. */
  isLoaded?: boolean;
  /** Other agents use it: it is removed only if no agent was named. */
  shared?: boolean;
}

export type Piece = TextPiece | LinkPiece;

export const isLink = (piece: Piece): piece is LinkPiece => 'target' in piece;
