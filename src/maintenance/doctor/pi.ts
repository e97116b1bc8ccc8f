import { existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { HOMES } from '../../clients/index.js';
import { isPackageOfPi } from '../../clients/pi-packages.js';
import { parseJson } from '../../core/json.js';
import { textIfAny } from '../../platform/read-text.js';
import { resolveLinks } from '../../platform/resolve-links.js';
import { type DoctorContext, type Found, fail, ok, warn } from './context.js';
import { reinstallCure } from './cure.js';

const EXTENSION = join('contrib', 'pi', 'mempalace.ts');

/** Whether pi, where it is, loads our extension, and whether it can read its MCP servers. */
export function checkPi({ env, folders, root }: DoctorContext): Found[] {
  const agent = HOMES.pi({ home: folders.home, env });
  if (!existsSync(agent)) return [];
  const servers = join(agent, 'mcp.json');
  const unread = isJson(servers)
    ? []
    : [
        warn(
          `${servers} is not strict JSON: pi ignores all of it`,
          'remove its comments and trailing commas',
        ),
      ];
  return [extensionFinding(agent, root), ...unread];
}

function extensionFinding(agent: string, root: string): Found {
  const link = join(agent, 'extensions', 'mempalace.ts');
  const own = join(root, EXTENSION);
  const target = resolveLinks(link);
  if (target !== undefined && target === resolveLinks(own)) return ok(`${link} is of this installation`);
  if (target !== undefined)
    return warn(`${link} is not of this installation (${own})`, `move it away; ${reinstallCure(root)}`);
  if (lstatSync(link, { throwIfNoEntry: false }) !== undefined)
    return fail(`${link} is a broken link: pi does not remember`, reinstallCure(root));
  if (isPackageOfPi(agent, root)) return ok('this installation is a package of pi');
  return {
    ...ok('is here, without our extension'),
    next: `pi install ${root}, or ${reinstallCure(root)}`,
  };
}

function isJson(file: string): boolean {
  const text = textIfAny(file);
  return text === undefined || parseJson(text) !== undefined;
}
