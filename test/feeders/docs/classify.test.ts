import { describe, expect, it } from 'vitest';
import { renderClassList, renderClassTable } from '../../../src/feeders/docs/class-table.js';
import { DOCUMENT_CLASSES, DROPPED_CLASSES } from '../../../src/feeders/docs/classes.js';
import {
  judgeFolderName,
  judgeFolders,
  judgeName,
  judgeShebang,
} from '../../../src/feeders/docs/classify.js';

function verdict(name: string): string {
  const { taken, reason } = judgeName(name);
  return taken?.name ?? reason ?? 'look inside';
}

const EXPECTED: Record<string, string> = {
  Markdown: 'a.md README.MD page.mdx LICENSE.md changelog.md .hidden.md dockerfile.md',
  reStructuredText: 'index.rst',
  AsciiDoc: 'manual.adoc',
  'plain text': 'notes.txt requirements.txt LICENSE.txt robots.txt',
  YAML: 'ci.yml a.YAML .gitlab-ci.yml .pre-commit-config.yaml docker-compose.yml',
  TOML: 'pyproject.toml Cargo.toml manifest.toml mise.toml',
  'selected JSON':
    'package.json composer.json tsconfig.json tsconfig.base.json user.schema.json openapi.json openapi-v2.json swagger.json manifest.json',
  'shell script': 'run.sh install.bash .zshrc.zsh x.fish',
  'container file': 'Dockerfile Dockerfile.dev dockerfile-alpine Containerfile Dockerfile.j2',
  'task file': 'Makefile makefile.am Makefile.in GNUmakefile justfile Justfile .justfile',
  'project note':
    'LICENSE LICENCE License LICENSE-MIT LICENSE.APACHE LICENSE_1_0 COPYING COPYING.LESSER COPYING3 NOTICE AUTHORS CHANGELOG README README.de CONTRIBUTING SECURITY CODEOWNERS TODO',
  'source code':
    'a.ts a.js a.py a.go dockerfile.go makefile.py changelog.rs license.ts style.css index.html query.sql main.tf App.vue',
  lockfile:
    'package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock composer.lock Gemfile.lock Cargo.lock poetry.lock uv.lock pdm.lock Pipfile.lock conda-lock.yml pixi.lock go.sum go.work.sum flake.lock mix.lock pubspec.lock Podfile.lock Package.resolved packages.lock.json paket.lock gradle.lockfile cabal.project.freeze stack.yaml.lock Manifest.toml .terraform.lock.hcl Chart.lock MODULE.bazel.lock pylock.toml gems.locked',
  'generated or minified':
    'app.min.js style.min.css vendor.bundle.js x.chunk.js app.js.map api.generated.yml',
  'secret by name':
    '.env .env.local .env.example .envrc prod.tfvars prod.tfvars.json .npmrc .netrc .pypirc .pgpass kubeconfig kubeconfig.yaml credentials credentials.yml credentials.md CREDENTIALS.json server.pem tls.key cert.p12 a.pfx a.jks a.keystore vault.kdbx id_rsa id_rsa.txt id_ed25519.md secrets.yml secrets.toml secrets.json .htpasswd service-account-prod.json terraform.tfstate',
  'not a document':
    'data.json data.csv .editorconfig .gitignore setup.cfg app.log a.svg b.png readme.pdf Dockerfile.bak LICENSE.xml package.json5 x.unknown settings.local.json',
  'file of this program': 'mempalace.yaml .mempalace-batch.json',
  'look inside': 'run configure gradlew hostname',
};

describe('the classes', () => {
  it.each(Object.entries(EXPECTED))('%s', (name, files) => {
    const judged = Object.fromEntries(files.split(' ').map((file) => [file, verdict(file)]));
    expect(judged).toEqual(Object.fromEntries(files.split(' ').map((file) => [file, name])));
  });

  it('lets patterns include everything except secrets', () => {
    expect(judgeName('.env')).toMatchObject({ firm: true });
    expect(judgeName('mempalace.yaml')).toMatchObject({ firm: true });
    expect(judgeName('yarn.lock')).toMatchObject({ firm: false });
    expect(judgeName('a.ts')).toMatchObject({ firm: false });
  });

  it('drops dependency and hidden folders, except those of agents and forges', () => {
    for (const name of ['node_modules', 'Site-Packages', '_build', 'foo.egg-info', '.venv', '.next']) {
      expect(judgeFolderName(name), name).toBe('dependency or build folder');
    }
    expect(judgeFolderName('.kube')).toBe('secret by name');
    for (const name of ['.git', '.idea', '.hg', '.githubx'])
      expect(judgeFolderName(name), name).toBe('hidden folder');
    for (const name of '.github .gitlab .opencode .claude .cursor .devcontainer docs build vendor'.split(
      ' ',
    )) {
      expect(judgeFolderName(name), name).toBeUndefined();
    }
  });

  it.each([
    ['#!/bin/sh\n', 'shell script'],
    ['#!/usr/bin/env bash\necho', 'shell script'],
    ['#! /usr/bin/env -S FOO=1 zsh -e\r\n', 'shell script'],
    ['#!/usr/bin/fish', 'shell script'],
    ['#!/usr/bin/env python3\n', 'source code'],
    ['#!/usr/local/bin/node --flag\n', 'source code'],
    ['#!/usr/bin/env\n', 'source code'],
    ['#! \n', undefined],
    [' #!/bin/sh\n', undefined],
    ['hello\n#!/bin/sh\n', undefined],
  ])('reads the first line %j', (head, expected) => {
    const judged = judgeShebang(head);
    expect(typeof judged === 'object' ? judged.name : judged).toBe(expected);
  });

  it.each<[string, string | undefined]>([
    ['changelog/unreleased/issue-4942', 'project note'],
    ['CHANGELOG.d/123', 'project note'],
    ['docs/release-notes/v2', 'project note'],
    ['changelog', undefined],
    ['src/changelogger/main', undefined],
  ])('classifies a file without extension by its folder: %s', (path, expected) => {
    expect(judgeFolders(path)?.name).toBe(expected);
  });

  it('are one table with every class and reason', () => {
    const table = renderClassTable();
    for (const each of DOCUMENT_CLASSES) expect(table).toContain(`| ${each.name} |`);
    for (const each of DROPPED_CLASSES) expect(table).toContain(`| ${each.reason} |`);
    expect(table).toContain('`*.md` `*.mdx`');
    const rows = table.split('\n').filter((line) => line !== '');
    for (const row of rows) expect(row.match(/\|/g), row).toHaveLength(4);
    expect(Math.max(...rows.map((row) => row.length))).toBeLessThan(400);
  });
  it('fit a terminal of any usual width, with every class and reason', () => {
    for (const width of [60, 80, 100]) {
      const rows = renderClassList(width).split('\n');
      expect(Math.max(...rows.map((row) => row.length))).toBeLessThanOrEqual(width);
      const named = rows.map((row) => row.slice(2, 28).trim());
      for (const each of DOCUMENT_CLASSES) expect(named).toContain(each.name);
      for (const each of DROPPED_CLASSES) expect(named).toContain(each.reason);
    }
  });
});
