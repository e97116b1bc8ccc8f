/** An operation by its name; those that it is sent to know the rest. */
export interface Asked {
  /** `kg query`: the command; `/kg/query`: the address. */
  readonly name: string;
  /** It changes nothing: it may be asked again, and run beside others. */
  readonly reads?: true;
}

/** Whether indexes and rows agree: asked by name, since its schemas are loaded for nothing else. */
export const DRIFT = { name: 'palace drift', reads: true } as const;

/** JSON, in snake_case. */
export type Answer = Record<string, unknown>;
