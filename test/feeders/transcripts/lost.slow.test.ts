import { cpSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { stageTranscripts } from '../../../src/feeders/transcripts/stage.js';
import { surveyTranscripts } from '../../../src/feeders/transcripts/survey.js';
import { sectionsOf } from '../../../src/miner/keep/sections.js';
import { mined } from '../../support/mining.js';
import { temporaryFolder, temporaryPalace } from '../../support/palace.js';
import { transcriptOptions } from '../../support/staged-transcripts.js';

const FIXTURES = fileURLToPath(new URL('../../fixtures/transcripts/', import.meta.url));

/** One release per form of transcript, and the names of its files. */
const PROGRAMS: [name: string, folder: string, file: RegExp][] = [
  ['Claude Code', 'claude-code/2.1.330', /-home-dev-shop\/[^/]+\.jsonl$/],
  ['Claude Code, sub-agents', 'claude-code/2.1.330', /subagents\/[^/]+\.jsonl$/],
  ['Codex', 'codex/0.169.0-tui', /rollout-[^/]+\.jsonl$/],
  ['Codex, before', 'codex/0.125.0', /rollout-[^/]+\.jsonl$/],
  ['Copilot CLI', 'copilot-cli', /events\.jsonl$/],
  ['Gemini CLI', 'gemini-cli/0.61.0', /session-[^/]+\.jsonl$/],
  ['Kimi Code', 'kimi-code', /wire\.jsonl$/],
  ['pi', 'pi', /\.jsonl$/],
  ['Qwen Code', 'qwen-code', /chats\/[^/]+\.jsonl$/],
];

/** A folder of transcripts that is filed again and again, as its feeder and the miner do. */
class Machine {
  readonly folder = temporaryFolder();
  readonly palace = temporaryPalace();
  #cache = temporaryFolder();
  /** Seconds; every change is later than the one before. */
  #clock = 1_900_000_000;

  constructor(fixture: string) {
    cpSync(join(FIXTURES, fixture), this.folder, { recursive: true });
    // Of two files of a session, the newer one counts: it is the longer one, now and later.
    for (const file of this.files(/jsonl$/)) this.write(file, readFileSync(file, 'utf8'));
  }

  files(pattern: RegExp): string[] {
    const names = readdirSync(this.folder, { recursive: true, encoding: 'utf8' });
    const files = names.filter((name) => pattern.test(name)).map((name) => join(this.folder, name));
    return files.sort((one, other) => statSync(one).size - statSync(other).size);
  }

  write(file: string, text: string): void {
    writeFileSync(file, text);
    this.#clock += 60;
    utimesSync(file, this.#clock, this.#clock);
  }

  wipeCache(): void {
    this.#cache = temporaryFolder();
  }

  async run() {
    const { palace } = this;
    const filed = {
      get: (key: string) => palace.sources.byKey(key),
      messagesOf: (key: string) => palace.sources.messagesOf(palace.sources.byKey(key)?.id ?? 0),
      messagesOfAll: (prefix: string) => palace.sources.messagesBelow(prefix),
    };
    const options = {
      ...(await transcriptOptions()),
      places: [{ folder: this.folder }],
      cache: this.#cache,
      filed,
    };
    const batches = await stageTranscripts(await surveyTranscripts(options), options);
    return mined(palace, batches);
  }

  /** The texts of the turns of all sources, by key. */
  turns(): Map<string, { text: string; gone: boolean }[]> {
    const sources = [...this.palace.sources.ofKind('conversation').values()];
    return new Map(
      sources.map(({ id, sourceKey }) => {
        const sections = sectionsOf(this.palace.sources.textOf(id), this.palace.sources.turnsOf(id) ?? []);
        return [sourceKey, sections.map(({ text, gone }) => ({ text, gone: gone === true }))];
      }),
    );
  }
}

/**
 * Every turn is there as often as before.
 *
 * @param exactly false: a record of what another record says may have survived alone, so a turn may be there twice
 */
function expectKept(
  filed: ReturnType<Machine['turns']>,
  after: ReturnType<Machine['turns']>,
  exactly: boolean,
): void {
  for (const [key, turns] of filed) {
    const left = after.get(key)?.map(({ text }) => text) ?? [];
    const missing = turns.flatMap(({ text }) => {
      const at = left.indexOf(text);
      if (at < 0) return [text];
      left.splice(at, 1);
      return [];
    });
    expect([key, missing]).toEqual([key, []]);
    if (exactly) expect([key, left]).toEqual([key, []]);
  }
}

const LOSSES: [what: string, lose: (lines: string[]) => string[], exactly: boolean][] = [
  ['its middle', (lines) => lines.filter((_, index) => index < 3 || index >= lines.length - 2), true],
  ['its end', (lines) => lines.slice(0, Math.ceil(lines.length / 2)), true],
  [
    'lines to NUL bytes',
    (lines) => lines.map((line, index) => (index > 2 && index % 3 === 0 ? '\0'.repeat(line.length) : line)),
    false,
  ],
];

describe.each(PROGRAMS)('%s', (_, folder, pattern) => {
  it.each(LOSSES)('loses %s, and every turn stays in the palace', async (_loss, lose, exactly) => {
    const machine = new Machine(folder);
    await machine.run();
    const filed = machine.turns();
    const files = machine.files(pattern);
    const whole = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]));
    expect(files.length).toBeGreaterThan(0);
    for (const [file, text] of whole) machine.write(file, lose(text.split('\n')).join('\n'));
    await machine.run();
    const after = machine.turns();
    expectKept(filed, after, exactly);
    // The cache knows nothing of what was lost.
    machine.wipeCache();
    expect((await machine.run()).lost).toEqual([]);
    expect(machine.turns()).toEqual(after);
    for (const [file, text] of whole) machine.write(file, text);
    await machine.run();
    const restored = machine.turns();
    for (const turns of restored.values())
      for (const turn of turns) if (exactly) expect(turn.gone).toBe(false);
    if (exactly) expect(restored).toEqual(filed);
    else expectKept(filed, restored, false);
  });

  it('empties its files, and all of it stays in the palace', async () => {
    const machine = new Machine(folder);
    await machine.run();
    const filed = machine.turns();
    for (const file of machine.files(pattern)) if (statSync(file).size > 0) machine.write(file, '');
    await machine.run();
    expect(machine.turns()).toEqual(filed);
  });
});
