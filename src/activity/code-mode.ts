import { PATCH_BEGIN } from './patch.js';

/** What a script of Codex's code mode gives to the tools that it calls. */
interface ScriptCalls {
  commands: string[];
  patches: string[];
}

/** A string without substitutions. */
const LITERAL = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\$]|\\.)*`/.source;
const COMMAND = new RegExp(String.raw`\btools\.exec_command\(\s*\{\s*"?cmd"?\s*:\s*(${LITERAL})`, 'g');
const APPLIES_PATCH = /\btools\.apply_patch\(/;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\n': '' };

/** Reads the string literals of a script; what it computes is not guessed. */
export function callsOfScript(script: string): ScriptCalls {
  const commands = [...script.matchAll(COMMAND)].map(([, literal = '']) => textOfLiteral(literal));
  if (!APPLIES_PATCH.test(script) || !script.includes(PATCH_BEGIN)) return { commands, patches: [] };
  const literals = script.match(new RegExp(LITERAL, 'g')) ?? [];
  return { commands, patches: literals.map(textOfLiteral).filter((text) => text.startsWith(PATCH_BEGIN)) };
}

function textOfLiteral(literal: string): string {
  return literal
    .slice(1, -1)
    .replace(/\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([\s\S]))/g, (_, unit, byte, sign) =>
      sign === undefined ? String.fromCharCode(Number.parseInt(unit ?? byte, 16)) : (ESCAPES[sign] ?? sign),
    );
}
