import { MARKDOWN_EXTENSIONS } from '../../core/front-matter.js';
import { OUTPUT_FOLDERS, OUTPUT_REASON } from './output-folders.js';
import { TEST_DATA_FOLDERS, TEST_DATA_REASON } from './test-data.js';

/**
 * The classes of documents and of dropped files. The survey, `--help` and the documentation use this table.
 *
 * Patterns are file or folder names with `*` for any characters. They ignore case. The first match decides, in this
 * order: dropped classes that are `firm`, the user's patterns, dropped classes that are `first` (lockfiles, generated
 * files), document classes, other dropped classes.
 */

export interface DocumentClass {
  name: string;
  files: readonly string[];
  /** A file without extension belongs to the class if its first line names one of these interpreters. */
  interpreters?: readonly string[];
  /** Names that may carry a suffix, such as LICENSE-MIT, COPYING.LESSER or README.de. */
  suffixed?: readonly string[];
  /** A file without extension below one of these folders belongs to the class. */
  below?: readonly string[];
  /** Beginning of a comment line. The mark of a generated file is searched in such lines. */
  comment: RegExp;
  /** Long lines are prose, not machine output. */
  prose?: true;
  about: string;
}

export interface DroppedClass {
  reason: string;
  files?: readonly string[];
  /** File names whose case matters. */
  exactly?: readonly string[];
  /** Without the dot. */
  extensions?: readonly string[];
  folders?: readonly string[];
  /** The user's patterns cannot include it. */
  firm?: true;
  /** Tested before the document classes. The others are tested when no document class matches. */
  first?: true;
  about: string;
}

/** Patterns of file names, those of its extensions included. */
export function filesOf({
  files = [],
  extensions = [],
}: Pick<DroppedClass, 'files' | 'extensions'>): string[] {
  return [...files, ...extensions.map((extension) => `*.${extension}`)];
}

const names = (list: string): readonly string[] => list.trim().split(/\s+/);

const WITH_EVIDENCE = OUTPUT_FOLDERS.flatMap(({ names }) => names.map((name) => `${name}/`)).join(' ');
const HASH = /^\s*#/;
const MARKUP = /^\s*(?:<!--|\{\/\*|\[\/\/\]:)/;

export const DOCUMENT_CLASSES: readonly DocumentClass[] = [
  {
    name: 'Markdown',
    files: MARKDOWN_EXTENSIONS.map((extension) => `*.${extension}`),
    comment: MARKUP,
    prose: true,
    about: 'READMEs, guides, decisions, notes for agents',
  },
  {
    name: 'reStructuredText',
    files: names('*.rst'),
    comment: /^\.\. /,
    prose: true,
    about: 'Sphinx and similar',
  },
  { name: 'AsciiDoc', files: names('*.adoc *.asciidoc'), comment: /^\/\//, prose: true, about: 'manuals' },
  {
    name: 'plain text',
    files: names('*.txt *.text'),
    comment: /^\s*(?:#|\/\/|;)/,
    about: 'notes, requirements',
  },
  { name: 'YAML', files: names('*.yml *.yaml'), comment: HASH, about: 'pipelines, manifests, configuration' },
  { name: 'TOML', files: names('*.toml'), comment: HASH, about: 'pyproject, Cargo and other project files' },
  {
    name: 'selected JSON',
    files: names(`
      package.json composer.json tsconfig*.json *.schema.json openapi*.json *.openapi.json swagger*.json
      *.swagger.json manifest.json
    `),
    comment: /^\s*\/\//,
    about: 'how a project is built, and its interfaces',
  },
  {
    name: 'shell script',
    files: names('*.sh *.bash *.zsh *.ksh *.fish'),
    interpreters: names('sh bash dash ash zsh ksh mksh fish'),
    comment: HASH,
    about: 'how things are done here; also files without extension that start with #!…sh',
  },
  {
    name: 'container file',
    files: names('dockerfile* containerfile*'),
    comment: HASH,
    about: 'how the project is packaged',
  },
  {
    name: 'task file',
    files: names('makefile* gnumakefile justfile .justfile'),
    comment: HASH,
    about: 'how the project is built and tested',
  },
  {
    name: 'project note',
    files: [],
    suffixed: names(`
      readme license licence copying copyright notice authors contributors contributing maintainers
      codeowners credits changelog changes history news security install todo
    `),
    below: names(`
      changelog changelogs changelog.d changes changes.d news news.d newsfragments newsfragment
      release-notes release_notes releasenotes unreleased
    `),
    comment: HASH,
    prose: true,
    about:
      'with or without extension; also files without extension below changelog/, newsfragments/ and similar',
  },
];

export const DROPPED_CLASSES: readonly DroppedClass[] = [
  {
    reason: 'secret by name',
    firm: true,
    files: names(`
      .env* *.env *.tfvars *.tfvars.json .npmrc .netrc kubeconfig* credentials* *.pem *.key id_rsa*
      id_ed25519* secrets.yml secrets.yaml secrets.toml secrets.json service-account*.json *.tfstate*
      .yarnrc.yml _netrc .pypirc .pgpass .my.cnf .htpasswd .git-credentials .dockercfg .dockerconfigjson
      .vault* *.kubeconfig auth.json secret.yml secret.yaml secret.toml secret.json
      client_secret*.json service_account*.json *.p8 *.p12 *.pfx *.ppk *.jks *.keystore *.kdbx *.gpg
      id_dsa* id_ecdsa* .credentials*
    `),
    folders: names('.kube .ssh .gnupg .aws .azure .gcloud'),
    about: 'a usual name of keys, tokens or passwords, independent of the content',
  },
  {
    reason: 'file of this program',
    firm: true,
    files: names(`
      mempalace.yaml watchdog_manifest_v1.jsonl .mempalace-batch.json .mempalace-tmp-* .lock .lock.holder .lock-journal
    `),
    about: 'its configuration and records',
  },
  {
    reason: OUTPUT_REASON,
    folders: names(`
      node_modules .venv __pycache__ .next .cache site-packages bower_components jspm_packages deriveddata
      *.egg-info *.dist-info __pypackages__ dist-newstyle _build _site elm-stuff zig-cache zig-out
      storybook-static htmlcov .nuxt .svelte-kit .turbo .parcel-cache .tox .nox .eggs .gradle .terraform
      .dart_tool .mypy_cache .pytest_cache .ruff_cache .ipynb_checkpoints
    `),
    about: `third-party code and build results; also any folder with a pyvenv.cfg, and, with evidence, ${WITH_EVIDENCE}`,
  },
  {
    reason: TEST_DATA_REASON,
    files: names('*.snap *.har *.cassette'),
    folders: TEST_DATA_FOLDERS,
    about:
      'recordings, fixtures, snapshots; also cassettes by content, and `fixtures/` and similar of tests; patterns take them',
  },
  {
    reason: 'lockfile',
    first: true,
    files: names(`
      *.lock *.lockb *.locked *.lockfile *.lock.json *.lock.yaml *.lock.yml *.lock.hcl *-lock.json
      *-lock.yaml *-lock.yml npm-shrinkwrap.json pylock.toml pylock.*.toml go.sum go.work.sum
      package.resolved cabal.project.freeze cpanfile.snapshot
    `),
    exactly: names('Manifest.toml'),
    about: 'exact versions of every ecosystem',
  },
  {
    reason: 'generated or minified',
    first: true,
    files: names('*.min.* *-min.js *-min.css *.bundle.js *.bundle.css *.chunk.js *.generated.* *.map'),
    about: 'also by content: “Code generated … DO NOT EDIT”, “@generated”, one very long line',
  },
  {
    reason: 'source code',
    extensions: names(`
      js mjs cjs jsx ts mts cts tsx vue svelte astro coffee elm py pyi pyx ipynb rb erb rake gemspec php
      pl pm lua tcl r jl java kt kts groovy gradle scala sbt clj cljs cljc edn go rs c h cc cpp cxx hh
      hpp hxx inl m mm swift zig nim d cs csx fs fsx fsi vb cshtml razor dart v sv vhd vhdl asm s hs lhs
      ml mli ex exs eex heex erl hrl lisp el scm rkt sol f f77 f90 f95 for pas ada adb ads cob cbl awk
      sed vim gd sql graphql gql proto thrift prisma css scss sass less styl html htm xhtml ejs hbs pug
      twig liquid haml glsl hlsl wgsl cu ps1 psm1 psd1 bat cmd nix tf hcl bzl bazel cmake mk bats
    `),
    about: 'the repository contains it; also files without extension that start with #!',
  },
  {
    reason: 'not a document',
    extensions: names(`
      json jsonc json5 jsonl ndjson xml xsd xsl plist csv tsv parquet ini cfg conf cnf properties log db
      sqlite sqlite3 dump diff patch bak orig rej swp tmp svg png jpg jpeg gif webp ico pdf ps doc docx
      odt rtf xls xlsx ppt pptx zip gz tgz bz2 xz zst tar jar war exe dll so dylib a o bin wasm ttf otf
      woff woff2
    `),
    about: 'data, pictures, archives, and all files that match no class',
  },
];

/** All other hidden folders are dropped as `hidden folder`. */
export const VISITED_HIDDEN_FOLDERS = names('.github .gitlab .opencode .claude .cursor .devcontainer');
