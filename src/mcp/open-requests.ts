import type { Id, Message } from './message.js';

/** The requests of a client that have no answer yet, in the order in which they came. */
export class OpenRequests {
  readonly #open = new Map<Id, { message: Message; late: NodeJS.Timeout }>();

  /**
   * @param patienceMs time for an answer
   * @param onLate called when that has passed
   */
  constructor(
    private readonly patienceMs: number,
    private readonly onLate: () => void,
  ) {}

  get size(): number {
    return this.#open.size;
  }

  has(id: Id): boolean {
    return this.#open.has(id);
  }

  /** Adds a request, or begins its time again. */
  await(id: Id, message: Message): void {
    clearTimeout(this.#open.get(id)?.late);
    this.#open.set(id, { message, late: setTimeout(this.onLate, this.patienceMs).unref() });
  }

  /** Removes a request that was answered or cancelled. */
  settle(id: Id): void {
    clearTimeout(this.#open.get(id)?.late);
    this.#open.delete(id);
  }

  *entries(): Iterable<[Id, Message]> {
    for (const [id, { message }] of [...this.#open]) yield [id, message];
  }

  messages(): Message[] {
    return [...this.#open.values()].map(({ message }) => message);
  }
}
