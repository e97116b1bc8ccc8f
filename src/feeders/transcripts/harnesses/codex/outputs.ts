import type { Part } from '../../../../core/parts.js';

type Output = Extract<Part, { kind: 'result' }>;

/** Length of the beginning and the end of an output that are searched for in results. */
const COMPARED = 200;
/** How Codex says that it left out a part of an output. */
export const TRUNCATED =
  /…\d+ (?:tokens|chars|characters) truncated…|\[\.\.\. omitted \d+ of \d+ lines \.\.\.\]|Warning: truncated output \(original token count: \d+\)/;
/** Limit (UTF-16 units) for the results of a turn. Beyond it, outputs from events are ignored. */
const MOST_KEPT = 8_000_000;

/**
 * Outputs of commands within a turn, as events report them, before or after the results. A script in code mode reports
 * success itself when a command failed; it may not return the output of its commands, and an interrupted one returns
 * nothing.
 */
export class Outputs {
  #results: string[] = [];
  #chars = 0;
  #outputs: Output[] = [];
  /** Texts of failed commands that no result has quoted so far. */
  #failures: string[] = [];

  add(output: Output): void {
    const text = output.text.trim();
    if (text === '') return;
    this.#outputs.push(output);
    if (output.error) this.#failures.push(text);
  }

  /** The parts, in which an output that Codex truncated is replaced by the whole one that an event contains. */
  whole(parts: readonly Part[]): Part[] {
    return parts.map((part) => {
      if (part.kind !== 'result' || part.id === undefined || !TRUNCATED.test(part.text)) return part;
      const output = this.#outputs.find(({ id }) => id === part.id);
      return output !== undefined && output.text.length > part.text.length
        ? { ...part, text: output.text }
        : part;
    });
  }

  /** Whether this result quotes the output of a failed command; that one is then removed. */
  isFailed(result: string): boolean {
    const found = this.#failures.findIndex((output) => result.includes(output));
    if (found >= 0) this.#failures.splice(found, 1);
    return found >= 0;
  }

  addResults(parts: readonly Part[]): void {
    for (const part of parts) {
      if (part.kind !== 'result') continue;
      this.#results.push(part.text);
      this.#chars += part.text.length;
    }
  }

  /** At the end of a turn: the outputs that none of its results contains. */
  unreported(): Part[] {
    const outputs =
      this.#chars > MOST_KEPT ? [] : this.#outputs.filter(({ text }) => !this.#isReported(text));
    this.#results = [];
    this.#chars = 0;
    this.#outputs = [];
    this.#failures = [];
    return outputs;
  }

  /** Results may be truncated in the middle, split, or quoted as JSON. */
  #isReported(output: string): boolean {
    const text = output.trim();
    const ends = [text.slice(0, COMPARED), text.slice(-COMPARED)].map((end) => end.trim());
    const forms = ends.flatMap((end) => [end, JSON.stringify(end).slice(1, -1)]);
    return this.#results.some((result) => forms.some((form) => result.includes(form)));
  }
}
