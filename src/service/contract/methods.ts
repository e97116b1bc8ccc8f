/**
 * The use cases of a palace. `reads`: it changes nothing, so that it may be asked again, and run beside others. Without
 * the schemas, which a command does not load at its start.
 */
export const METHODS = {
  show: { reads: true },
  text: { reads: true },
  wakeUp: { reads: true },
  drift: { reads: true },
  readiness: { reads: true },
  pulse: { reads: true },
  embed: { reads: true },
  filedSources: { reads: true },
  announceSources: { reads: false },
  receiveText: { reads: false },
  fileReceived: { reads: false },
  reopen: { reads: false },
} as const;

export type Method = keyof typeof METHODS;

export const isMethod = (name: string): name is Method => Object.hasOwn(METHODS, name);
