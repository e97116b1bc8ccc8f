/** From few entries to many. */
export const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** `programs`: the file of `--log-file`; `writes`: changes that servers made. */
export const LOGS = ['broker', 'hooks', 'programs', 'writes'] as const;
export type LogName = (typeof LOGS)[number];
