/**
 * Text that reads like messages about programming, almost without repetitions: an embedding cache
 * must not make a bench look fast. Sizes are in characters; almost all of it is ASCII.
 */
import {
  ACTIONS,
  ADJECTIVES,
  EXTENSIONS,
  LANGUAGES,
  PLACES,
  REASONS,
  STEMS,
  TECHNOLOGIES,
} from './vocabulary.mjs';

const capital = (word) => word.charAt(0).toUpperCase() + word.slice(1);

export function identifier(random) {
  const [action, first, second] = [random.pick(ACTIONS), random.pick(STEMS), random.pick(STEMS)];
  switch (random.between(0, 4)) {
    case 0:
      return `${action}${capital(first)}`;
    case 1:
      return `${action}_${first}_${second}`;
    case 2:
      return `${capital(first)}${capital(random.pick(PLACES))}`;
    case 3:
      return `${first}_${second}_${random.between(2, 99)}`;
    default:
      return `${action}${capital(first)}${capital(second)}`;
  }
}

export function filePath(random) {
  const folder = random.pick(['src', 'lib', 'app', 'internal', 'packages', 'services', 'test', 'deploy']);
  return `${folder}/${random.pick(STEMS)}/${random.pick(ACTIONS)}-${random.pick(STEMS)}.${random.pick(EXTENSIONS)}`;
}

const thing = (random) => `${random.pick(ADJECTIVES)} ${random.pick(STEMS)} ${random.pick(PLACES)}`;

const SENTENCES = [
  (r) => `The ${thing(r)} has to ${r.pick(ACTIONS)} every ${r.pick(STEMS)} ${r.pick(REASONS)}.`,
  (r) =>
    `I would ${r.pick(ACTIONS)} the ${r.pick(STEMS)} in \`${filePath(r)}\` before we touch the ${thing(r)}.`,
  (r) => `\`${identifier(r)}\` returns a ${thing(r)}, and ${identifier(r)} then fails ${r.pick(REASONS)}.`,
  (r) =>
    `Can you ${r.pick(ACTIONS)} the ${thing(r)} so that ${r.pick(TECHNOLOGIES)} sees ${r.between(2, 900)} rows?`,
  (r) =>
    `With ${r.pick(TECHNOLOGIES)} the ${r.pick(STEMS)} takes ${r.between(3, 9000)} ms, which is ${r.pick(ADJECTIVES)}.`,
  (r) =>
    `There is a ${r.pick(ADJECTIVES)} difference between \`${identifier(r)}\` and \`${identifier(r)}\` here.`,
  (r) => `We decided to keep the ${thing(r)} out of ${r.pick(TECHNOLOGIES)} ${r.pick(REASONS)}.`,
  (r) =>
    `Line ${r.between(4, 1400)} of \`${filePath(r)}\` still ${r.pick(ACTIONS)}s the ${r.pick(ADJECTIVES)} ${r.pick(STEMS)}.`,
  (r) =>
    `Let me ${r.pick(ACTIONS)} the ${r.pick(STEMS)} first and ${r.pick(ACTIONS)} the ${thing(r)} afterwards.`,
  (r) =>
    `That leaves the ${r.pick(STEMS)} ${r.pick(ADJECTIVES)}, but the ${thing(r)} is ${r.pick(ADJECTIVES)} again.`,
  (r) =>
    `Setting \`${r.pick(STEMS).toUpperCase()}_${r.pick(STEMS).toUpperCase()}=${r.between(1, 5000)}\` cures it ${r.pick(REASONS)}.`,
  (r) =>
    `The ${r.pick(ADJECTIVES)} ${r.pick(STEMS)} came from ${r.pick(TECHNOLOGIES)} ${r.between(1, 19)}.${r.between(0, 40)}, not from our ${thing(r)}.`,
];

const sentence = (random) => random.pick(SENTENCES)(random);

const CODE_LINES = [
  (r) => `const ${identifier(r)} = await ${identifier(r)}(${r.pick(STEMS)}, ${r.between(0, 512)});`,
  (r) => `  if (${r.pick(STEMS)}.${r.pick(STEMS)} === ${r.between(0, 99)}) return ${identifier(r)};`,
  (r) => `def ${r.pick(ACTIONS)}_${r.pick(STEMS)}(${r.pick(STEMS)}, ${r.pick(STEMS)}=${r.between(0, 60)}):`,
  (r) => `    ${r.pick(STEMS)} = self.${identifier(r)}[${r.between(0, 31)}]`,
  (r) =>
    `SELECT ${r.pick(STEMS)}_id, count(*) FROM ${r.pick(STEMS)}s WHERE ${r.pick(STEMS)} > ${r.between(1, 9999)};`,
  (r) =>
    `${r.pick(STEMS)}: { ${r.pick(STEMS)}: ${r.between(1, 400)}, ${r.pick(STEMS)}: "${r.pick(ADJECTIVES)}" }`,
  (r) => `  // ${r.pick(ACTIONS)} the ${r.pick(ADJECTIVES)} ${r.pick(STEMS)} ${r.pick(REASONS)}`,
  (r) =>
    `func ${capital(identifier(r))}(ctx context.Context, ${r.pick(STEMS)} *${capital(r.pick(STEMS))}) error {`,
];

export const codeLine = (random) => random.pick(CODE_LINES)(random);

const OUTPUT_LINES = [
  (r) =>
    `[${r.between(10, 23)}:${r.between(10, 59)}:${r.between(10, 59)}.${r.between(100, 999)}] ${r.pick(['INFO', 'WARN', 'DEBUG', 'ERROR'])} ${r.pick(STEMS)}.${r.pick(PLACES)} ${r.pick(ACTIONS)} ${r.pick(STEMS)}=${r.between(1, 99999)}`,
  (r) => ` ✓ ${filePath(r)} > ${r.pick(ACTIONS)}s a ${thing(r)} ${r.between(1, 900)}ms`,
  (r) =>
    `${filePath(r)}:${r.between(1, 999)}:${r.between(1, 90)}: ${r.pick(['error', 'warning'])}: ${r.pick(ADJECTIVES)} ${r.pick(STEMS)} in '${identifier(r)}'`,
  (r) =>
    `-rw-r--r-- 1 dev dev ${r.between(100, 99999)} Jan ${r.between(10, 31)} ${r.between(10, 23)}:${r.between(10, 59)} ${filePath(r)}`,
  (r) => `${r.hex(8)} ${r.pick(ACTIONS)} ${r.pick(STEMS)} ${r.pick(PLACES)} (#${r.between(1, 4000)})`,
  codeLine,
];

/** Lines until `length` characters are reached, then cut to that, sentences between words. */
function fill(random, length, line, separator) {
  const parts = [];
  let size = 0;
  while (size < length) {
    const next = line(random);
    parts.push(next);
    size += next.length + separator.length;
  }
  const joined = parts.join(separator);
  const border = separator === ' ' && joined.length > length ? joined.lastIndexOf(' ', length) : length;
  return joined.slice(0, border > 0 ? border : length).trimEnd();
}

const codeBlock = (random, length) =>
  `\`\`\`${random.pick(LANGUAGES)}\n${fill(random, Math.max(20, length), codeLine, '\n')}\n\`\`\``;

/**
 * Prose of about `length` characters: paragraphs, now and then a list or a fenced block of code.
 * Short texts are one paragraph.
 */
export function prose(random, length) {
  const blocks = [];
  let left = length;
  while (left > 0) {
    const size = Math.min(left, random.between(120, 700));
    if (left > 350 && random.chance(0.2)) blocks.push(codeBlock(random, Math.min(size, 480)));
    else if (left > 350 && random.chance(0.15))
      blocks.push(fill(random, size, (r) => `- ${sentence(r)}`, '\n'));
    else blocks.push(fill(random, size, sentence, ' '));
    left -= size + 2;
  }
  return blocks.join('\n\n');
}

/** Output of a command. */
export const commandOutput = (random, length) =>
  fill(random, length, (r) => random.pick(OUTPUT_LINES)(r), '\n');

/** A piece of source code. */
export const sourceCode = (random, length) => fill(random, length, codeLine, '\n');

/** A title of a few words. */
export const title = (random) =>
  `${capital(random.pick(ACTIONS))} the ${random.pick(ADJECTIVES)} ${random.pick(STEMS)} in ${random.pick(TECHNOLOGIES)}`;
