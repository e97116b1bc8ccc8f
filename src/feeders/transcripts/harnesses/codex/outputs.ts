import type { Part } from '../../../../core/parts.js';

type Output = Extract<Part, { kind: 'result' }>;

/** Characters at the beginning and the end of an output by which a result is known to contain it. */
const COMPARED = 200;
/** Results of one turn that are kept for comparison, UTF-16 units. Beyond that, events add nothing. */
const MOST_KEPT = 8_000_000;

/**
 * Outputs of commands that only an event reports. A script in code mode runs commands, and need not return what they
 * printed: an interrupted one returns nothing. Events come before the results or after them, within one turn.
 */
export class UnreportedOutputs {
  #results: string[] = [];
  #chars = 0;
  #outputs: Output[] = [];

  /** An output that an event reports. */
  meet(output: Output): void {
    if (output.text.trim() !== '') this.#outputs.push(output);
  }

  /** A result that the model was given. */
  report(parts: readonly Part[]): void {
    for (const part of parts) {
      if (part.kind !== 'result') continue;
      this.#results.push(part.text);
      this.#chars += part.text.length;
    }
  }

  /** At the end of a turn: what no result of it contains. */
  take(): Part[] {
    const outputs =
      this.#chars > MOST_KEPT ? [] : this.#outputs.filter(({ text }) => !this.#isReported(text));
    this.#results = [];
    this.#chars = 0;
    this.#outputs = [];
    return outputs;
  }

  /** Results are truncated in the middle, spread over several, or quoted as JSON. */
  #isReported(output: string): boolean {
    const text = output.trim();
    const ends = [text.slice(0, COMPARED), text.slice(-COMPARED)].map((end) => end.trim());
    const forms = ends.flatMap((end) => [end, JSON.stringify(end).slice(1, -1)]);
    return this.#results.some((result) => forms.some((form) => result.includes(form)));
  }
}
