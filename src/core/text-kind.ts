import { MARKDOWN_EXTENSIONS } from './front-matter.js';

/**
 * What a document's text is: `prose` explains, `reference` lists (options, interfaces, terms), `changelog` tells what
 * changed, `config` is read by programs (CI, manifests, scripts), `generated` was written by a program.
 */
export const TEXT_KINDS = ['prose', 'reference', 'changelog', 'config', 'generated'] as const;
export type TextKind = (typeof TEXT_KINDS)[number];

/** The kind is decided by the beginning of a text, in UTF-16 units. */
const KIND_CHARS = 16 * 1024;

const LOCKFILE = /(?:\.lock|[-.]lock\.(?:json|ya?ml|hcl)|(?:^|\/)(?:npm-shrinkwrap\.json|go\.sum))$/i;
const COMPLETION = /(?:^|[/_-])(?:bash|zsh|fish|shell)?[-_]?completions?\.(?:sh|bash|zsh|fish)$/i;
/** As programs mark what they write, in the first lines or the last. */
const MARK =
  /\bdo not edit (?:this file|manually|by hand)\b|@generated\b|\bauto-?\s?generated (?:by|from|with|using|file)\b|\b(?:this|the) (?:file|page|document|table|list) (?:is|was|has been) (?:automatically |auto-?)?generated (?:by|from|with)\b|^\W*(?:code )?generated (?:by|from|with) (?!hand\b)|^# bash completion for /i;
const SHOUTED_MARK = /\bDO NOT EDIT\b/;
const MARK_LINES = 8;
/** Pages of a command, as cobra writes them: these headings in this order. */
const COBRA = /^### Options\b[\s\S]*^### (?:Options inherited from parent commands|SEE ALSO)\b/m;

const PROSE_FILE = `(?:${MARKDOWN_EXTENSIONS.join('|')}|rst|te?xt|adoc|asciidoc)`;
const CHANGELOG_NAME = new RegExp(
  String.raw`(?:^|/)(?:change-?logs?|changes|history|news|release[-_ ]?notes)(?:[-_.]\d[\w.-]*)?(?:\.${PROSE_FILE})?$`,
  'i',
);
const CHANGELOG_FOLDER =
  /(?:^|\/)(?:changelogs?|changelog\.d|changes\.d|news\.d|newsfragments?|release[-_]?notes|unreleased)\/[^/]*$/i;
/**
 * A heading of a version (`1.2.0 - 2026-01-02`, `Changelog for restic 0.19.1 (2026-07-05)`) or of a day; no words follow, as in
 * the number of a section.
 */
const VERSION =
  /^(?:(?:version|release|changelog for)\b.*?)?\W*v?\d+\.\d+(?:\.\d+)*(?:-[\w.]+)?\s*(?:\(.*\)|[-–—:,]? *(?:\d{4}[-./]\d\d[-./]\d\d|\d{1,2} \w+ \d{4}|\w+ \d{1,2}, \d{4}|unreleased|yanked))*\W*$|^\W*unreleased\W*$|^\W*\d{4}-\d\d-\d\d\W*$|^(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec)[a-z]* \d{1,2}(?:st|nd|rd|th)?,? \d{4}$/i;
const VERSIONS_AT_LEAST = 3;

const CONFIG_NAME =
  /\.(?:ya?ml|toml|jsonc?|json5|ini|cfg|conf|properties|env|xml|sh|bash|zsh|ksh|fish|mk)$|(?:^|\/)(?:dockerfile|containerfile|g?n?u?makefile|\.?justfile|jenkinsfile|codeowners|procfile)(?:\.[\w-]+)?$|(?:^|\/)(?:[\w.-]*requirements[\w.-]*|constraints)\.txt$|(?:^|\/)\.github\/(?:workflows|actions)\//i;

const REFERENCE_NAME = new RegExp(
  String.raw`(?:^|/)(?:(?:[\w-]*[-_])?(?:reference|cheat-?sheet)|api|cli|commands|flags|options|settings|config-file|env(?:ironment)?[-_]var(?:iable)?s|schema|glossary|terminology|abbreviations|error-codes|rules)\.${PROSE_FILE}$`,
  'i',
);
const REFERENCE_FOLDER = /(?:^|\/)(?:references?|man|manpages)\//i;
/** Folders of references, if the text lists or shows code: in others of that name are guides, and rules for agents. */
const LIKELY_FOLDER = /(?:^|\/)(?:api|cli|rules)\//i;
/** Explains, wherever it is. */
const GUIDE_NAME =
  /(?:^|\/|[-_])(?:troubleshooting|faq|tutorial|guide|getting[-_]started|migration|migrat(?:e|ing)[\w-]*)\.\w+$/i;
/** The share of lines that list, from which a text is a reference; and of listing and code in a likely folder. */
const LISTS = 0.5;
const LISTS_OR_CODE = 0.25;
/** A table of this share of figures is the output of a program. */
const FIGURES = 0.5;
const MEASURED_LINES = 20;

/**
 * The kind of a document.
 *
 * @param name relative POSIX path in its project
 * @param text all of it, or a beginning of 16 KB
 */
export function textKindOf(name: string, text: string): TextKind {
  const head = text.slice(0, KIND_CHARS);
  const lines = head.split(/\r?\n/).filter((line) => line.trim() !== '');
  if (LOCKFILE.test(name) || COMPLETION.test(name) || isMarked(lines) || COBRA.test(head)) return 'generated';
  if (CHANGELOG_NAME.test(name) || CHANGELOG_FOLDER.test(name)) return 'changelog';
  if (CONFIG_NAME.test(name)) return 'config';
  const { headings, shares } = outlineOf(lines);
  const versions = headings.filter((heading) => VERSION.test(heading)).length;
  if (versions >= VERSIONS_AT_LEAST && versions >= headings.length / 2) return 'changelog';
  if (lines.length >= MEASURED_LINES && shares.figures >= FIGURES) return 'generated';
  if (REFERENCE_NAME.test(name) || shares.lists >= LISTS) return 'reference';
  if (GUIDE_NAME.test(name)) return 'prose';
  const likely = LIKELY_FOLDER.test(name) && shares.lists + shares.code >= LISTS_OR_CODE;
  return likely || REFERENCE_FOLDER.test(name) ? 'reference' : 'prose';
}

/** A sentence that speaks of generated files is longer than a mark. */
function isMarked(lines: readonly string[]): boolean {
  const [first, last] = [lines.slice(0, MARK_LINES), lines.slice(MARK_LINES).slice(-MARK_LINES)];
  return [...first, ...last].some(
    (line) => line.length < 160 && (MARK.test(line) || SHOUTED_MARK.test(line)),
  );
}

/** A row of a table, a flag, or a term with its meaning. */
const LISTED =
  /^\s*(?:\||\+[-=]+\+|[-*+]?\s*`?--?[a-z][\w-]*|[-*+] +(?:\*\*|`)[^`*]+(?:`|\*\*)|[-*+] +\[`|:[\w-]+:|\.\. (?:option|confval|envvar)::)|^ {2,}[\w-]+ {2,}\S/i;
const FENCE = /^\s*(?:```|~~~)/;
const FIGURE = /[\d.,%|±×\s:+/-]/g;

/** Headings outside of code, and shares (0–1) of the lines that list, that are code, and that are mostly figures. */
function outlineOf(lines: readonly string[]) {
  const headings: string[] = [];
  const counts = { lists: 0, code: 0, figures: 0 };
  let inCode = false;
  lines.forEach((line, at) => {
    if (FENCE.test(line)) inCode = !inCode;
    if (/\d/.test(line) && line.replace(FIGURE, '').length < line.trim().length / 3) counts.figures += 1;
    if (inCode || FENCE.test(line)) {
      counts.code += 1;
      return;
    }
    const underlined = /^(?:=+|-{3,}|~{3,})$/.test(lines[at + 1] ?? '') && !line.startsWith('|');
    const heading = /^#{1,3} +(.+?)[ #]*$/.exec(line)?.[1] ?? (underlined ? line : undefined);
    if (heading !== undefined) headings.push(heading.replaceAll(/[[\]*_`]/g, ''));
    else if (LISTED.test(line)) counts.lists += 1;
  });
  const share = (count: number) => (lines.length === 0 ? 0 : count / lines.length);
  return {
    headings,
    shares: { lists: share(counts.lists), code: share(counts.code), figures: share(counts.figures) },
  };
}
