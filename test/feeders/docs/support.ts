import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Survey, type SurveyOptions, surveyProject } from '../../../src/feeders/docs/survey.js';

/** A new folder with these files; a name that ends with `/` is an empty folder. */
export function makeTree(files: Record<string, string | Uint8Array>): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'docs-')));
  addFiles(root, files);
  return root;
}

export function addFiles(root: string, files: Record<string, string | Uint8Array>): void {
  for (const [path, content] of Object.entries(files)) {
    const target = join(root, path);
    mkdirSync(path.endsWith('/') ? target : dirname(target), { recursive: true });
    if (!path.endsWith('/')) writeFileSync(target, content);
  }
}

/** Runs git as a user without configuration. */
export function git(root: string, args: string[], date = '2024-03-01T12:00:00Z'): void {
  const env = { ...process.env, GIT_COMMITTER_DATE: date, GIT_AUTHOR_DATE: date, HOME: root };
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
    cwd: root,
    env,
    stdio: 'pipe',
  });
}

export function survey(root: string, options: Partial<SurveyOptions> = {}): Promise<Survey> {
  return surveyProject({
    root,
    include: [],
    exclude: [],
    gitignore: true,
    maxFileSize: 2 * 1024 * 1024,
    ...options,
  });
}

export const paths = (result: Survey) => result.documents.map((document) => document.relativePath);

/** Reasons by path relative to the root. */
export function reasons(root: string, result: Survey): Record<string, string> {
  return Object.fromEntries(result.skipped.map((each) => [each.origin.slice(root.length + 1), each.reason]));
}

const MAKE_FIFO = 'mkfifo';

/** A named pipe: opening it for reading waits for a writer. */
export function makeFifo(path: string): void {
  execFileSync(MAKE_FIFO, [path]);
}
