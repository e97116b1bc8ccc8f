import { PATCH_BEGIN } from './patch.js';

/** What a script of Codex's code mode gives to the tools that it calls. */
interface ScriptCalls {
  commands: string[];
  patches: string[];
  /** The items of the last plan; undefined if the script sets none, or computes it. */
  plan: { step: string; status: string }[] | undefined;
}

const LITERAL = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\$]|\\.)*`/.source;
const COMMAND = new RegExp(String.raw`\btools\.exec_command\(\s*\{\s*"?cmd"?\s*:\s*(${LITERAL})`, 'g');
/** A plan of literal items; its other fields may follow in any order. */
const PLAN = new RegExp(
  String.raw`\btools\.update_plan\(\s*\{(?:[^[\]'"\x60]|${LITERAL})*?["']?\bplan["']?\s*:\s*\[((?:[^[\]'"\x60]|${LITERAL})*)\]`,
  'g',
);
const ITEM = new RegExp(String.raw`\{(?:[^{}'"\x60]|${LITERAL})*\}`, 'g');
const APPLIES_PATCH = /\btools\.apply_patch\(/;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\n': '' };

/** Reads the string literals of a script; what it computes is not guessed. */
export function callsOfScript(script: string): ScriptCalls {
  const commands = [...script.matchAll(COMMAND)].map(([, literal = '']) => textOfLiteral(literal));
  const plan = planOf(script);
  if (!APPLIES_PATCH.test(script) || !script.includes(PATCH_BEGIN)) return { commands, patches: [], plan };
  const literals = script.match(new RegExp(LITERAL, 'g')) ?? [];
  const patches = literals.map(textOfLiteral).filter((text) => text.startsWith(PATCH_BEGIN));
  return { commands, patches, plan };
}

function planOf(script: string): ScriptCalls['plan'] {
  const items = [...script.matchAll(PLAN)].at(-1)?.[1];
  const each = items?.match(ITEM) ?? [];
  return items === undefined
    ? undefined
    : each.map((item) => ({ step: fieldOf(item, 'step'), status: fieldOf(item, 'status') }));
}

function fieldOf(item: string, name: string): string {
  const [, literal] = new RegExp(String.raw`["']?\b${name}["']?\s*:\s*(${LITERAL})`).exec(item) ?? [];
  return literal === undefined ? '' : textOfLiteral(literal);
}

function textOfLiteral(literal: string): string {
  return literal
    .slice(1, -1)
    .replace(/\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([\s\S]))/g, (_, unit, byte, sign) =>
      sign === undefined ? String.fromCharCode(Number.parseInt(unit ?? byte, 16)) : (ESCAPES[sign] ?? sign),
    );
}
