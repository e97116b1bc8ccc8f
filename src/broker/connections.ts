/** An agent that a broker serves. */
export interface Connection {
  agent: string;
  /** ISO 8601, UTC. */
  since: string;
}

export class Connections {
  readonly #all = new Set<Connection>();
  #onChange: () => void = () => {};

  list(): Connection[] {
    return [...this.#all];
  }

  /** @param onChange replaces the former one */
  watch(onChange: () => void): void {
    this.#onChange = onChange;
  }

  /** @returns ends it */
  add(agent: string): () => void {
    const connection = { agent, since: new Date().toISOString() };
    this.#all.add(connection);
    this.#onChange();
    return () => {
      this.#all.delete(connection);
      this.#onChange();
    };
  }
}
