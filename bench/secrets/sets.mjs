/**
 * Sets like the corpora of other scanners, built at run time: keys of vendors in the contexts where people
 * write them, keys recognised by their format, passwords, and lines without secrets. Each has a held-out part: contexts, kinds
 * and formats that were written before any measurement, with another seed, and on which rules are not tuned.
 */
import { createRandom } from '../support/random.mjs';
import { cleanLines } from './clean.mjs';
import {
  CONTEXTS,
  HELD_OUT_CONTEXTS,
  HELD_OUT_VENDORS,
  heldOutMakesOf,
  makesOf,
  VENDORS,
} from './contexts.mjs';
import { formatsOf } from './formats.mjs';
import { HELD_OUT_PLACES, PLACES, passwordsOf } from './passwords.mjs';
import { makeShapes } from './shapes.mjs';

/** @typedef {{ context: string, make: string, text: string, value: string }} Case */

const SEED = 11;
const HELD_OUT_SEED = 7919;
const USERS = ['ann', 'deploy', 'svc_backup', 'j.miller'];

/** @returns {Record<string, Case[]>} by the set's name */
export function sets() {
  const random = createRandom(SEED);
  const shapes = makeShapes(random);
  const other = createRandom(HELD_OUT_SEED);
  const otherShapes = makeShapes(other);
  const formats = formatsOf(shapes);
  const tokens = Object.entries(shapes.tokens);
  return {
    'keys of vendors': keys(CONTEXTS, VENDORS, makesOf(shapes), random),
    'keys of vendors, held out': keys(
      HELD_OUT_CONTEXTS,
      HELD_OUT_VENDORS,
      heldOutMakesOf(otherShapes),
      other,
    ),
    'by their look': [...tokens, ...formats.known].flatMap((format) => shown(format, random)),
    'by their look, held out': formatsOf(otherShapes).heldOut.flatMap((format) => shown(format, other)),
    passwords: passwords(PLACES, passwordsOf(shapes, random), random),
    'passwords, held out': passwords(HELD_OUT_PLACES, passwordsOf(otherShapes, other), other),
  };
}

/** @returns {Record<string, string[]>} lines without secrets */
export function cleanSets() {
  return {
    'no secrets': cleanLines(makeShapes(createRandom(SEED))).lines,
    'no secrets, held out': cleanLines(makeShapes(createRandom(HELD_OUT_SEED))).heldOut,
  };
}

function keys(contexts, vendors, makes, random) {
  return Object.entries(contexts).flatMap(([context, templates]) =>
    templates.flatMap((template) =>
      Object.entries(makes).map(([make, value]) => {
        const vendor = random.pick(vendors);
        return filled(context, make, template, value(), {
          v: vendor,
          V: vendor.toUpperCase(),
          C: capital(vendor),
        });
      }),
    ),
  );
}

function passwords(places, makes, random) {
  return Object.entries(places).flatMap(([context, templates]) =>
    templates.flatMap((template) =>
      Object.entries(makes).flatMap(([make, value]) => {
        const password = value();
        // An address or a column cannot contain these characters.
        if (/:\/\/|@tcp|\|/.test(template) && /[@#?]/.test(password)) return [];
        return [filled(context, make, template, password, { u: random.pick(USERS) })];
      }),
    ),
  );
}

const WAYS = [
  (text) => `Sure, here it is: ${text}\nDelete it when you are done.`,
  (text) => `I ran it with \`${text}\` and got a 401.`,
  (text) => `{"note": ${JSON.stringify(text)}}`,
];

/** A key recognised by its format, written in three ways; `«…»` marks it inside other text. */
function shown([vendor, make], random) {
  return WAYS.map((way) => {
    const made = make();
    const value = /«(.*)»/.exec(made)?.[1] ?? made;
    return {
      context: vendor,
      make: vendor,
      text: way(made.replace(/[«»]/g, '')),
      value,
      order: random.next(),
    };
  });
}

function filled(context, make, template, value, names) {
  const line = template
    .replaceAll('§', '$')
    .replaceAll('{x}', () => value)
    .replace(/\{([vVCu])\}/g, (_, name) => names[name]);
  return { context, make, value, text: `We looked at this today.\n${line}\nAnd then at the rest.\n` };
}

function capital(word) {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}
