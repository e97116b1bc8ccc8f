/** `2026-11-29 03:30 UTC` of an ISO 8601 moment. */
export function minuteOf(moment: string): string {
  return `${moment.replace('T', ' ').slice(0, 16)} UTC`;
}
