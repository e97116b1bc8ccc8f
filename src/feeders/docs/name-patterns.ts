/**
 * One test for a whole list of patterns, which are lower-case names with `*` for any characters; the test ignores case.
 *
 * A large tree has a hundred thousand names. Whole names and `*.extension`, which are nearly all patterns, are looked
 * up. One expression tests the rest.
 */
export function matcher(patterns: readonly string[]): (name: string) => boolean {
  const names = new Set<string>();
  const extensions = new Set<string>();
  const rest: string[] = [];
  for (const pattern of patterns) {
    if (!pattern.includes('*')) names.add(pattern);
    else if (pattern.startsWith('*.') && !pattern.includes('*', 1)) extensions.add(pattern.slice(2));
    else rest.push(pattern.replace(/[\\^$.|?+()[\]{}]/g, '\\$&').replaceAll('*', '.*'));
  }
  const expression = rest.length === 0 ? undefined : new RegExp(`^(?:${rest.join('|')})$`, 's');
  return (name) => {
    const lower = name.toLowerCase();
    if (names.has(lower) || expression?.test(lower) === true) return true;
    for (let dot = lower.indexOf('.'); dot !== -1; dot = lower.indexOf('.', dot + 1)) {
      if (extensions.has(lower.slice(dot + 1))) return true;
    }
    return false;
  };
}
