/**
 * The program that opens a file in the user's browser.
 *
 * @returns undefined where a browser would have no screen
 */
export function browserFor(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): string | undefined {
  if (platform === 'darwin') return 'open';
  return env.DISPLAY === undefined && env.WAYLAND_DISPLAY === undefined ? undefined : 'xdg-open';
}
