/** The file with the whole output, as the program's record names it, and whether the text is the whole. */
export interface CutOutput {
  path: string;
  isWhole: boolean;
}

const WHOLE = 'here whole from';
const PART = 'whole in';
const MARK = new RegExp(`^\\[output cut by [^\\n]*?, (${WHOLE}|${PART}) ([^\\n]+)\\](?:\\n|$)`);

/**
 * The output of a tool that a program cut, after a mark that says so. `whole`: the text of the file at `path`, if it
 * is there.
 */
export function markedOutput(program: string, cut: string, path?: string, whole?: string): string {
  const place = path === undefined ? '' : `, ${whole === undefined ? PART : WHOLE} ${path}`;
  return `[output cut by ${program}${place}]\n${whole ?? cut}`;
}

/** What the mark of an output says; undefined without a mark that names a file. */
export function cutOutput(text: string): CutOutput | undefined {
  const [, place, path] = MARK.exec(text) ?? [];
  return path === undefined ? undefined : { path, isWhole: place === WHOLE };
}
