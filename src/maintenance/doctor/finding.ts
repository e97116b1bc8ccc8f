/** What one look at the machine or the palace brought. */
export interface Finding {
  status: 'ok' | 'warn' | 'fail';
  /** What was looked at, in a word or two. */
  label: string;
  detail: string;
  /** The next step to type, or to do; with every `warn` and `fail`. */
  next?: string;
}

export const ok = (label: string, detail: string): Finding => ({ status: 'ok', label, detail });
export const warn = (label: string, detail: string, next: string): Finding => ({
  status: 'warn',
  label,
  detail,
  next,
});
export const fail = (label: string, detail: string, next: string): Finding => ({
  status: 'fail',
  label,
  detail,
  next,
});
