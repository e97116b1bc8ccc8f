/** A checkpoint in addition to those of the compactions. */
export type AskedCheckpoint =
  /** Of what follows the last compaction: replaced when the session grows. */
  | { kind: 'end' }
  /** Of this moment. `name`: the last part of its key; `note`: sanitised. */
  | { kind: 'manual'; name: string; note?: string | undefined };
