import { existsSync, mkdirSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeFolder } from '../support/cleanups.js';
import { createCheckout } from './checkout.js';

let checkout: ReturnType<typeof createCheckout>;
beforeEach(() => {
  checkout = createCheckout();
});
afterEach(() => removeFolder(checkout.base));

const home = (path: string) => join(checkout.home, path);
const link = () => home('.pi/agent/extensions/mempalace.ts');
const source = () => join(checkout.root, 'contrib/pi/mempalace.ts');
function write(path: string) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, 'x');
}

describe("pi's extension", () => {
  it('is linked where pi is, checked, and removed by --uninstall', () => {
    write(source());
    mkdirSync(home('.pi/agent'), { recursive: true });
    const before = checkout.tree();
    expect(checkout.run(['--dry-run']).stdout).toContain(`would be linked: ${link()}`);
    const run = checkout.run();
    expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining(`linked     ${link()}\n`) });
    expect(readlinkSync(link())).toBe(source());
    expect(readlinkSync(home('.agents/skills/mempalace/SKILL.md'))).toBe(join(checkout.root, 'SKILL.md'));
    expect(checkout.run().stdout).toContain(`unchanged  ${link()}\n`);
    expect(checkout.run(['--check'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`ok         ${link()}\n`),
    });
    rmSync(link());
    expect(checkout.run(['--check'])).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(`missing    ${link()}\n`),
    });
    checkout.run();
    const gone = checkout.run(['--uninstall', '--yes']);
    expect(gone).toMatchObject({ code: 0, stdout: expect.stringContaining(`removed    ${link()}\n`) });
    expect(checkout.tree()).toEqual(before);
  });

  it('is not mentioned where pi is not; PI_CODING_AGENT_DIR names its folder', () => {
    write(source());
    const run = checkout.run();
    expect(run.stdout).not.toContain('extensions');
    expect(run.stdout).not.toContain('pi-toolkit');
    expect(existsSync(home('.pi'))).toBe(false);
    mkdirSync(home('elsewhere'));
    checkout.run([], { PI_CODING_AGENT_DIR: home('elsewhere') });
    expect(readlinkSync(home('elsewhere/extensions/mempalace.ts'))).toBe(source());
  });

  it('replaces a link to its former place, and leaves a file of another program alone', () => {
    write(source());
    mkdirSync(dirname(link()), { recursive: true });
    symlinkSync(join(checkout.root, 'extensions/pi/mempalace.ts'), link());
    expect(checkout.run().stdout).toContain(`linked     ${link()}; formerly to ${checkout.root}/extensions`);
    expect(readlinkSync(link())).toBe(source());
    rmSync(link());
    write(link());
    const run = checkout.run();
    expect(run).toMatchObject({
      code: 3,
      stderr: expect.stringContaining(`${link()} belongs to another program`),
    });
    expect(checkout.run(['--uninstall']).stdout).toContain(`skipped    ${link()} belongs to another program`);
    expect(existsSync(link())).toBe(true);
  });

  it('as a package of pi is named by --uninstall, since pi itself removes it', () => {
    mkdirSync(home('.pi/agent'), { recursive: true });
    const said = `remark     ${home('.pi/agent')}/settings.json lists this checkout as a package: pi remove ${checkout.root}\n`;
    expect(checkout.run(['--uninstall']).stdout).not.toContain('as a package');
    const path = relative(home('.pi/agent'), checkout.root);
    writeFileSync(home('.pi/agent/settings.json'), JSON.stringify({ packages: [path] }, null, 2));
    expect(checkout.run(['--uninstall']).stdout).toContain(said);
  });

  it("says whether pi-toolkit's files are there", () => {
    mkdirSync(home('.pi/agent'), { recursive: true });
    const zsh = home('.oh-my-zsh/custom/pi-env.zsh');
    const keys = home('.pi/agent/keybindings.json');
    expect(checkout.run().stdout).toContain(
      `remark     pi-toolkit is not, or not completely, installed; missing: ${keys}, ${zsh}`,
    );
    write(keys);
    expect(checkout.run(['--check']).stdout).toContain(`missing: ${zsh}\n`);
    write(zsh);
    expect(checkout.run(['--check']).stdout).toContain(
      'ok         pi-toolkit: its keybindings.json and pi-env.zsh',
    );
  });
});
