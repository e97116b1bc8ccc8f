const SANITISER = /\bsanitiser [\d.]+/;

/** Whether the sanitiser of this version had the last word on a source. */
export function isOf(versions: string, sanitiser: number): boolean {
  return SANITISER.exec(versions)?.[0] === `sanitiser ${sanitiser}`;
}

/** The versions of a source on which the sanitiser of this version had the last word. */
export function asOf(versions: string, sanitiser: number): string {
  const now = `sanitiser ${sanitiser}`;
  return SANITISER.test(versions) ? versions.replace(SANITISER, now) : `${versions}, ${now}`;
}
