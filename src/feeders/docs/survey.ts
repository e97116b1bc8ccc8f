import { type Dirent, lstatSync } from 'node:fs';
import { join, posix, relative, sep } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Ignore } from 'ignore';
import type { Skipped } from '../../core/contract.js';
import { isErrno, messageOf, UserError } from '../../core/errors.js';
import type { DocumentClass } from './classes.js';
import { classByContent, judgeFolderName, judgeName } from './classify.js';
import { CONFIG_NAME, type ProjectConfig } from './config.js';
import { HEAD_BYTES, judgeContent } from './content.js';
import { trackedFolders } from './git.js';
import { IgnoreRules, newMatcher, repositoryOf } from './ignore-rules.js';
import { listInProject, readInProject, skipForError } from './open-file.js';
import { OUTPUT_REASON, outputRule } from './output-folders.js';
import { type JudgedPriority, PriorityJudge } from './priority.js';
import { isTestData, TEST_DATA_REASON } from './test-data.js';
import type { Watched } from './watchdog-manifest.js';
import { roomOf } from './wing-and-room.js';

export interface SurveyOptions {
  /** Absolute, real. */
  root: string;
  /** Surveys only this folder: relative to the root, with `/`. */
  folder?: string | undefined;
  /** gitignore patterns relative to the root. They add files to the classes, but no hidden or ignored ones. */
  include: string[];
  /** gitignore patterns relative to the root. They win over everything. */
  exclude: string[];
  gitignore: boolean;
  maxFileSize: number;
  config?: ProjectConfig | undefined;
  watched?: ReadonlyMap<string, Watched> | undefined;
  /** Whether the user approved exactly this configuration. Only then its priorities pin. Default: false. */
  approved?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

export interface FoundDocument {
  /** Root of its project: absolute, real. Nothing is read through a link below it. */
  root: string;
  /** In form NFC with `/`: part of the source key. */
  relativePath: string;
  absolutePath: string;
  /** The absolute path without secrets, as it is stored and shown. */
  origin: string;
  size: number;
  mtimeMs: number;
  /** Time of its last commit, if known: see `commitDates`. */
  committedMs?: number | undefined;
  ctimeMs: number;
  /** Name of its class, or `included`. */
  documentClass: string;
  room: string;
  title?: string | undefined;
  priority?: JudgedPriority | undefined;
  /** By the project's watchdog manifest. */
  givenType?: string | undefined;
}

export interface Survey {
  /** The surveyed folder as the paths of its documents begin; undefined for the whole project, or a skipped folder. */
  folder?: string;
  documents: FoundDocument[];
  /** A folder that was dropped is listed once, not once per file. */
  skipped: Skipped[];
  /** Folders and files that exist but could not be read. These and the next paths are relative. */
  unread: string[];
  testData: string[];
  nested: string[];
  /** For the user. */
  notes: string[];
}

interface Rules {
  /** In a folder with data of tests: only what the user's patterns include is taken. */
  testData?: boolean;
  git: IgnoreRules | undefined;
  own: IgnoreRules;
}

/** Files that the user's patterns include are not checked for marks of generated files. */
const INCLUDED: DocumentClass = { name: 'included', files: [], comment: /(?!)/, prose: true, about: '' };
const GIT_FILE = '.gitignore';
const OWN_FILE = '.mempalaceignore';

/**
 * Finds the documents of a project without changing anything. It reads only names, sizes and the beginnings of likely
 * files. It does not follow links, and opens only regular files.
 *
 * @throws UserError `not-found` when the folder does not exist, `unreadable` when it cannot be listed
 */
export async function surveyProject(options: SurveyOptions): Promise<Survey> {
  return new Surveyor(options).run();
}

class Surveyor {
  readonly #include: Ignore | undefined;
  readonly #exclude: Ignore | undefined;
  readonly #priorities: PriorityJudge;
  /** By path without case. */
  readonly #folded = new Map<string, string>();
  #folders = 0;
  #inRepository = false;
  #tracked: ReturnType<typeof trackedFolders> | undefined;
  readonly #survey: Survey = {
    documents: [],
    skipped: [],
    unread: [],
    testData: [],
    nested: [],
    notes: [],
  };

  constructor(private readonly options: SurveyOptions) {
    this.#include = patternMatcher([...(options.config?.includePatterns ?? []), ...options.include]);
    this.#exclude = patternMatcher([...(options.config?.excludePatterns ?? []), ...options.exclude]);
    this.#priorities = new PriorityJudge(options.config?.priorities ?? [], options.approved === true);
  }

  async run(): Promise<Survey> {
    const { root, folder } = this.options;
    let rules = await this.#rulesAt(root);
    let path = root;
    let items = this.#list(root);
    let relativePath = '';
    for (const name of folder?.split('/') ?? []) {
      path = join(path, name);
      relativePath = posix.join(relativePath, nameIn(items, name));
      if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) {
        throw new UserError('not-found', `there is no folder ${JSON.stringify(folder)} in ${root}`);
      }
      const inside = await this.#enter(path, name, relativePath, items, rules);
      if (inside === undefined) return this.#survey;
      items = inside.items;
      rules = inside.rules;
    }
    if (folder !== undefined) this.#survey.folder = relativePath;
    await this.#walk(relativePath, path, items, rules);
    return this.#survey;
  }

  async #walk(relativePath: string, path: string, items: Dirent[], rules: Rules): Promise<void> {
    this.#folders += 1;
    // The walk is synchronous, so the event loop needs a turn now and then.
    if (this.#folders % 64 === 0) await setImmediate();
    this.options.signal?.throwIfAborted();
    const taken = new Set<string>();
    for (const item of items) {
      const itemPath = join(path, item.name);
      const form = nameIn(items, item.name, taken);
      const itemRelative = relativePath === '' ? form : `${relativePath}/${form}`;
      const before = this.#survey.documents.length;
      if (item.isDirectory()) {
        const inside = await this.#enter(itemPath, item.name, itemRelative, items, rules);
        if (inside !== undefined) await this.#walk(itemRelative, itemPath, inside.items, inside.rules);
      } else {
        this.#file(itemPath, item, itemRelative, rules);
      }
      if (this.#survey.documents.length > before) taken.add(form);
    }
  }

  /**
   * The items of a folder and the rules for them. Undefined when the folder is skipped, which is recorded.
   *
   * @param beside the items of the folder around it
   */
  async #enter(
    path: string,
    name: string,
    relativePath: string,
    beside: readonly Dirent[],
    rules: Rules,
  ): Promise<{ items: Dirent[]; rules: Rules } | undefined> {
    const byName = judgeFolderName(name);
    const testData = byName === TEST_DATA_REASON || isTestData(name, relativePath, beside);
    const skip = (reason: string) => this.#record({ origin: path, reason }, relativePath);
    if (testData && this.#include === undefined) return skip(TEST_DATA_REASON);
    const reason = (testData ? undefined : byName) ?? this.#ignoredBy(path, `${relativePath}/`, true, rules);
    if (reason !== undefined) return skip(reason);
    const output = outputRule(name);
    const isBeside = output?.isBeside(beside) === true;
    if (isBeside && (output.committed || !(await this.#isTracked(relativePath)))) return skip(OUTPUT_REASON);
    try {
      const items = this.#list(path);
      const has = (file: string) => items.some((item) => item.name === file);
      if (has('.git') || items.some((item) => item.name === CONFIG_NAME && item.isFile())) {
        this.#survey.nested.push(relativePath);
        return skip('nested project');
      }
      if (has('pyvenv.cfg') || output?.isInside(items) === true) return skip(OUTPUT_REASON);
      // A folder whose rules cannot be read is not read: the rules may say what in it is private.
      const git = has(GIT_FILE) ? rules.git?.inside(path) : rules.git;
      const own = has(OWN_FILE) ? rules.own.inside(path) : rules.own;
      return { items, rules: { git, own, testData: testData || rules.testData === true } };
    } catch (error) {
      return this.#record(skipForError(path, error), relativePath);
    }
  }

  /** Whether git tracks files in a folder. When git cannot say, earlier documents of the folder are kept. */
  async #isTracked(relativePath: string): Promise<boolean> {
    if (!this.#inRepository) return false;
    this.#tracked ??= trackedFolders(this.options.root, this.options.signal);
    const tracked = await this.#tracked;
    if (tracked === undefined) this.#survey.unread.push(relativePath);
    return tracked?.has(relativePath) === true;
  }

  #list(path: string): Dirent[] {
    try {
      return listInProject(path, this.options.root).sort((a, b) => (a.name < b.name ? -1 : 1));
    } catch (error) {
      if (path !== this.options.root) throw error;
      throw new UserError('unreadable', `${path} cannot be listed: ${messageOf(error)}`, { cause: error });
    }
  }

  #ignoredBy(path: string, relativePath: string, isFolder: boolean, rules: Rules): string | undefined {
    if (this.#exclude?.ignores(relativePath.normalize('NFC')) === true) return 'excluded';
    if (rules.git?.excludes(path, isFolder) === true) return `ignored by ${GIT_FILE}`;
    return rules.own.excludes(path, isFolder) ? `ignored by ${OWN_FILE}` : undefined;
  }

  #file(path: string, item: Dirent, relativePath: string, rules: Rules): void {
    const outcome = this.#judge(path, item, relativePath, rules);
    if ('reason' in outcome) this.#record(outcome, relativePath);
    else {
      this.#noteCase(relativePath);
      this.#survey.documents.push(outcome);
    }
  }

  #judge(path: string, item: Dirent, relativePath: string, rules: Rules): FoundDocument | Skipped {
    const skip = (reason: string, detail?: string): Skipped => ({ origin: path, reason, detail });
    if (item.isSymbolicLink()) return skip('symlink');
    if (!item.isFile()) return skip('not a regular file');
    const ignored = this.#ignoredBy(path, relativePath, false, rules);
    if (ignored !== undefined) return skip(ignored);
    const { taken, reason: dropped, firm } = judgeName(item.name);
    const included = firm !== true && this.#include?.ignores(relativePath.normalize('NFC')) === true;
    if (dropped !== undefined && !included) return skip(dropped);
    if (rules.testData === true && !included) return skip(TEST_DATA_REASON);
    try {
      const { stat, head } = readInProject(path, this.options.root, HEAD_BYTES);
      if (stat.size === 0) return skip('empty');
      const documentClass = included ? INCLUDED : classByContent(item.name, relativePath, taken, head);
      if (typeof documentClass === 'string') return skip(documentClass);
      if (stat.size > this.options.maxFileSize) return skip('too large', `${stat.size} bytes`);
      const reason = judgeContent(head, head.length >= stat.size, documentClass);
      if (reason !== undefined) return skip(reason);
      const { size, mtimeMs, ctimeMs } = stat;
      const { root, config } = this.options;
      const room = roomOf(relativePath, config?.rooms);
      const watched = this.options.watched?.get(relativePath);
      const priority = this.#priorities.priorityOf(relativePath, head, watched?.priority);
      const place = { root, relativePath, absolutePath: path, origin: path };
      const facts = { size, mtimeMs, ctimeMs, documentClass: documentClass.name };
      return { ...place, ...facts, room, priority, givenType: watched?.type };
    } catch (error) {
      const stat = isErrno(error, 'EACCES') ? lstatSync(path, { throwIfNoEntry: false }) : undefined;
      return stat?.size === 0 ? skip('empty') : skipForError(path, error);
    }
  }

  #noteCase(relativePath: string): void {
    const folded = relativePath.toLowerCase();
    const other = this.#folded.get(folded);
    if (other !== undefined)
      this.#survey.notes.push(`paths that differ only in case: ${other}, ${relativePath}`);
    else this.#folded.set(folded, relativePath);
  }

  #record(skipped: Skipped, relativePath: string): undefined {
    this.#survey.skipped.push(skipped);
    if (skipped.problem === true) this.#survey.unread.push(relativePath);
    if (skipped.reason === TEST_DATA_REASON) this.#survey.testData.push(relativePath);
  }

  async #rulesAt(root: string): Promise<Rules> {
    try {
      const repository = repositoryOf(root);
      this.#inRepository = repository !== undefined;
      const top = repository?.top ?? root;
      const git = this.options.gitignore
        ? this.#rulesBetween(top, root, GIT_FILE, await excludesOf(repository))
        : undefined;
      return { git, own: this.#rulesBetween(top, root, OWN_FILE) };
    } catch (error) {
      throw new UserError('unreadable', `the ignore rules for ${root} cannot be read: ${messageOf(error)}`);
    }
  }

  #rulesBetween(top: string, root: string, fileName: string, before?: readonly string[]): IgnoreRules {
    let rules = IgnoreRules.at(top, fileName, before);
    let path = top;
    for (const name of relative(top, root).split(sep)) {
      if (name === '') continue;
      path = join(path, name);
      if (rules.excludes(path, true)) {
        // HOME in git with everything ignored, or a scratch folder: the user asked for this project.
        this.#survey.notes.push(
          `the repository at ${top} ignores this project: only the project's rules count`,
        );
        return IgnoreRules.at(root, fileName);
      }
      rules = rules.inside(path);
    }
    return rules;
  }
}

/** What git ignores without a `.gitignore`; the later text wins. Its rules apply in repositories only. */
async function excludesOf(repository: ReturnType<typeof repositoryOf>): Promise<string[]> {
  if (repository === undefined) return [];
  const { globalExcludes } = await import('./global-excludes.js');
  return [await globalExcludes(repository.top), repository.exclude].filter((text) => text !== undefined);
}

/** A name in form NFC; as it is, if another item of the folder has that form of it. */
function nameIn(items: readonly Dirent[], name: string, taken: ReadonlySet<string> = new Set()): string {
  const form = name.normalize('NFC');
  const isFree = form === name || !(taken.has(form) || items.some((item) => item.name === form));
  return isFree ? form : name;
}

function patternMatcher(patterns: string[]): Ignore | undefined {
  return patterns.length === 0
    ? undefined
    : newMatcher().add(patterns.map((pattern) => pattern.normalize('NFC')));
}
