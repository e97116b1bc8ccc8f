/**
 * The secrets that the sanitiser finds, and its false positives (`npm run build` first; `npm run bench:secrets`
 * does both): precision and recall on a labelled set of our own and on ../shared/data/secrets-dev.jsonl, recall by context
 * on keys of vendors, formats and passwords, false positives on the READMEs and changelogs of our own dependencies, and
 * speed. `--build <dir>` measures another build, such as the one before a change.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { negatives } from './secrets/negatives.mjs';
import { positives } from './secrets/positives.mjs';
import { cleanSets, sets } from './secrets/sets.mjs';
import { makeShapes } from './secrets/shapes.mjs';
import { median } from './support/figures.mjs';
import { ROOT } from './support/machine.mjs';
import { runBench } from './support/main.mjs';
import { createRandom } from './support/random.mjs';

const LEAST_RECALL = 0.95;
const MOST_FALSE_PER_MEGABYTE = 1;
const MOST_MS_PER_MEGABYTE = 50;
/** Targets; there is none for held-out formats, which show the recall for unknown vendors. */
const LEAST_BY_SET = {
  'keys of vendors': 0.8,
  'keys of vendors, held out': 0.8,
  'by their look': 0.92,
  passwords: 0.85,
  'passwords, held out': 0.8,
};
const MOST_WRONG_LINES = 0.05;
const DOC_BYTES = 5e6;
const SEEDS = [1, 2, 3];
const LABELLED = join(ROOT, '..', 'shared', 'data', 'secrets-dev.jsonl');
/** This many remaining characters in a row reveal a secret. */
const TELLING_SHARE = 0.5;

await runBench(async () => {
  const { values: options } = parseArgs({
    options: {
      json: { type: 'boolean' },
      quick: { type: 'boolean' },
      verbose: { type: 'boolean' },
      build: { type: 'string', default: join(ROOT, 'dist') },
    },
  });
  const module = join(resolve(options.build), 'sanitiser', 'index.js');
  const { createSanitiser } = await import(pathToFileURL(module).href);
  const sanitiser = await createSanitiser({ redact: true });
  const report = {
    own: await onOwn(sanitiser, options.quick === true ? SEEDS.slice(0, 1) : SEEDS),
    sets: await onSets(sanitiser),
    secretlint: existsSync(LABELLED) ? await onLabelled(sanitiser) : undefined,
    docs: options.quick === true ? undefined : await onDocs(sanitiser),
    speed: options.quick === true ? undefined : await speedOf(sanitiser),
  };
  if (options.json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  else print(report, options.verbose === true);
  if (Object.values(report).some((part) => part?.ok === false)) process.exitCode = 1;
});

async function onOwn(sanitiser, seeds) {
  const missed = [];
  const wrong = [];
  const kinds = new Set();
  let secrets = 0;
  let hard = 0;
  let replaced = 0;
  for (const seed of seeds) {
    const random = createRandom(seed);
    const shapes = makeShapes(random);
    for (const { name, text, secrets: labelled } of positives(shapes)) {
      const { text: cleaned, steps } = await sanitiser.trace(text);
      for (const { kind, value } of labelled) {
        secrets += 1;
        kinds.add(kind);
        if (leaks(cleaned, value)) missed.push({ kind, name, seed, value });
      }
      for (const removed of removedBy(text, steps)) {
        replaced += 1;
        if (!labelled.some(({ value }) => removed.includes(value) || value.includes(removed)))
          wrong.push({ name, removed });
      }
    }
    for (const line of negatives(shapes)) {
      hard += 1;
      const { text: cleaned, steps } = await sanitiser.trace(`before\n${line}\nafter\n`);
      if (cleaned === `before\n${line}\nafter\n`) continue;
      for (const removed of removedBy(`before\n${line}\nafter\n`, steps)) {
        replaced += 1;
        wrong.push({ name: line, removed });
      }
    }
  }
  const recall = 1 - missed.length / secrets;
  const precision = 1 - wrong.length / replaced;
  return { secrets, kinds: kinds.size, hard, recall, precision, missed, wrong, ok: recall >= LEAST_RECALL };
}

/** Recall by set, context and make; and changed lines without secrets. */
async function onSets(sanitiser) {
  const recalls = [];
  for (const [name, cases] of Object.entries(sets())) {
    const [contexts, makes, missed] = [{}, {}, []];
    for (const { context, make, text, value } of cases) {
      const found = !leaks((await sanitiser.clean(text)).text, value);
      if (!found) missed.push({ context, make, text });
      for (const [tally, key] of [
        [contexts, context],
        [makes, make],
      ]) {
        tally[key] ??= { found: 0, all: 0 };
        tally[key].all += 1;
        tally[key].found += Number(found);
      }
    }
    const recall = 1 - missed.length / cases.length;
    const least = LEAST_BY_SET[name];
    recalls.push({
      name,
      cases: cases.length,
      recall,
      least,
      contexts,
      makes,
      missed,
      ok: recall >= (least ?? 0),
    });
  }
  const clean = [];
  for (const [name, lines] of Object.entries(cleanSets())) {
    const wrong = [];
    for (const line of lines)
      if ((await sanitiser.clean(`before\n${line}\nafter\n`)).text !== `before\n${line}\nafter\n`)
        wrong.push(line);
    clean.push({ name, lines: lines.length, wrong, ok: wrong.length <= lines.length * MOST_WRONG_LINES });
  }
  return { recalls, clean, ok: [...recalls, ...clean].every(({ ok }) => ok) };
}

/** secretlint's own tests: the ranges that its rules report, and inputs in which they report nothing. */
async function onLabelled(sanitiser) {
  const rows = readFileSync(LABELLED, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const missed = [];
  const wrong = [];
  let secrets = 0;
  let cleanTexts = 0;
  for (const { id, label, content_base64, expected = [] } of rows) {
    const text = Buffer.from(content_base64, 'base64').toString('utf8');
    const { text: cleaned } = await sanitiser.clean(text);
    if (label === 'clean') {
      cleanTexts += 1;
      if (cleaned !== text) wrong.push(id);
    }
    for (const { range } of expected) {
      secrets += 1;
      if (cleaned.includes(text.slice(...range))) missed.push(id);
    }
  }
  const recall = 1 - missed.length / secrets;
  return { secrets, cleanTexts, recall, missed, wrong, ok: recall >= LEAST_RECALL };
}

async function onDocs(sanitiser) {
  const byKind = {};
  const found = [];
  let bytes = 0;
  for (const { name, text } of docs()) {
    bytes += Buffer.byteLength(text);
    const { redacted, steps } = await sanitiser.trace(text);
    for (const [kind, count] of Object.entries(redacted)) byKind[kind] = (byKind[kind] ?? 0) + count;
    for (const removed of removedBy(text, steps)) found.push({ name, removed });
  }
  const perMegabyte = found.length / (bytes / 1e6);
  return { megabytes: bytes / 1e6, found, byKind, perMegabyte, ok: perMegabyte <= MOST_FALSE_PER_MEGABYTE };
}

/**
 * READMEs, changelogs and other Markdown of the installed packages, then the comments and types of their `.d.ts`, each
 * in the order of their paths, up to 5 MB.
 */
function docs() {
  const modules = join(ROOT, 'node_modules');
  const all = readdirSync(modules, { recursive: true, encoding: 'utf8' }).sort();
  const names = [/\.(?:md|markdown)$/i, /\.d\.ts$/].flatMap((kind) => all.filter((name) => kind.test(name)));
  const taken = [];
  let bytes = 0;
  for (const name of names) {
    if (bytes >= DOC_BYTES) break;
    const text = readFileSync(join(modules, name), 'utf8');
    bytes += Buffer.byteLength(text);
    taken.push({ name, text });
  }
  return taken;
}

async function speedOf(sanitiser) {
  const random = createRandom(7);
  const prose = docs()
    .map(({ text }) => text)
    .join('\n')
    .slice(0, 1 << 20);
  const parts = positives(makeShapes(random)).map(({ text }) => text);
  let transcript = '';
  for (let at = 0; transcript.length < 1 << 20; at += 1)
    transcript += `User:\nQuestion ${at}?\n\nAssistant:\n${prose.slice((at * 9973) % 900_000, ((at * 9973) % 900_000) + 6_000)}\n\n[result]\n${at % 20 === 0 ? parts[at % parts.length] : ''}\n\n`;
  transcript = transcript.slice(0, 1 << 20);
  const rows = [];
  for (const [name, text] of [
    ['docs', prose],
    ['transcripts', transcript],
  ]) {
    const json = JSON.stringify(text);
    const [ours, base] = [[], []];
    for (let run = 0; run < 9; run += 1) {
      base.push(await millis(() => JSON.parse(json)));
      ours.push(await millis(() => sanitiser.clean(text)));
    }
    const [ms, baseline] = [median(ours), median(base)];
    rows.push({ name, msPerMegabyte: ms, least: Math.min(...ours), parseMs: baseline, ratio: ms / baseline });
  }
  return { rows, ok: rows.every(({ msPerMegabyte }) => msPerMegabyte < MOST_MS_PER_MEGABYTE) };
}

/** Processor time, so that other programs do not count. One thread does all the work. */
async function millis(work) {
  const started = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1000;
}

/** Whether half of a secret, at least, can still be read. */
function leaks(cleaned, value) {
  const length = Math.max(Math.min(8, value.length), Math.ceil(value.length * TELLING_SHARE));
  return cleaned.includes(value.slice(0, length)) || cleaned.includes(value.slice(-length));
}

function removedBy(original, steps) {
  const removed = [];
  let text = original;
  for (const edits of steps) {
    let shift = 0;
    let next = text;
    for (const { start, end, text: instead } of edits) {
      removed.push(text.slice(start, end));
      next = next.slice(0, start + shift) + instead + next.slice(end + shift);
      shift += instead.length - (end - start);
    }
    text = next;
  }
  return removed;
}

function print({ own, sets: bySet, secretlint, docs: read, speed }, verbose) {
  const say = (text) => process.stdout.write(`${text}\n`);
  const percent = (share) => `${(share * 100).toFixed(1)} %`;
  const met = (ok) => (ok ? 'met' : 'MISSED');
  say(`own set: ${own.secrets} secrets of ${own.kinds} kinds, ${own.hard} that are none`);
  say(
    `  recall ${percent(own.recall)} (target ${percent(LEAST_RECALL)}: ${met(own.ok)}), precision ${percent(own.precision)}`,
  );
  for (const [kind, count] of counted(own.missed.map(({ kind }) => kind))) say(`  missed ${count} × ${kind}`);
  for (const { name, removed } of verbose
    ? own.missed.map(({ name, value }) => ({ name: `missed in ${name}`, removed: value }))
    : [])
    say(`  ${name}: ${JSON.stringify(removed.slice(0, 120))}`);
  for (const { name, removed } of own.wrong.slice(0, verbose ? 200 : 10))
    say(`  no secret: ${JSON.stringify(removed.slice(0, 80))} in ${JSON.stringify(name.slice(0, 80))}`);
  printSets(bySet, verbose, { say, percent, met });
  if (secretlint === undefined) say('secrets-dev.jsonl: skipped, it is not there');
  else {
    say(`secrets-dev.jsonl: ${secretlint.secrets} secrets, ${secretlint.cleanTexts} clean texts`);
    say(`  recall ${percent(secretlint.recall)} (target ${percent(LEAST_RECALL)}: ${met(secretlint.ok)})`);
    for (const id of secretlint.missed) say(`  missed: ${id}`);
    for (const id of secretlint.wrong) say(`  redacted though clean by its own rule: ${id}`);
  }
  if (read === undefined || speed === undefined) return;
  say(
    `docs: ${read.megabytes.toFixed(1)} MB, ${read.found.length} redactions, ${read.perMegabyte.toFixed(2)} a MB (target ${MOST_FALSE_PER_MEGABYTE}: ${met(read.ok)})`,
  );
  for (const [kind, count] of Object.entries(read.byKind)) say(`  ${count} × ${kind}`);
  for (const { name, removed } of verbose ? read.found : [])
    say(`  ${name}: ${JSON.stringify(removed.slice(0, 100))}`);
  for (const { name, msPerMegabyte, least, parseMs, ratio } of speed.rows)
    say(
      `${name}: ${msPerMegabyte.toFixed(1)} ms a MB (least ${least.toFixed(1)}), ${ratio.toFixed(1)} × JSON.parse of it (${parseMs.toFixed(1)} ms)`,
    );
  say(`  target ${MOST_MS_PER_MEGABYTE} ms: ${met(speed.ok)}`);
}

function printSets({ recalls, clean }, verbose, { say, percent, met }) {
  for (const { name, cases, recall, least, contexts, makes, missed, ok } of recalls) {
    const target = least === undefined ? 'no target' : `target ${percent(least)}: ${met(ok)}`;
    say(`${name}: ${cases} secrets, recall ${percent(recall)} (${target})`);
    const shares = (tally) =>
      Object.entries(tally)
        .filter(([, { found, all }]) => verbose || found < all)
        .map(([key, { found, all }]) => `${key} ${Math.round((100 * found) / all)}`)
        .join(', ');
    say(`  by context, in per cent: ${shares(contexts)}`);
    if (verbose && !name.startsWith('by their look')) say(`  by make: ${shares(makes)}`);
    for (const { context, text } of verbose ? missed : [])
      say(`  missed in ${context}: ${JSON.stringify(text)}`);
  }
  for (const { name, lines, wrong, ok } of clean) {
    say(`${name}: ${lines} lines, ${wrong.length} changed (${met(ok)})`);
    for (const line of wrong) say(`  no secret in ${JSON.stringify(line.slice(0, 80))}`);
  }
}

function counted(names) {
  const counts = new Map();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]);
}
