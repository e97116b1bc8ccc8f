/** The forms in which a collection is exported; `plain` is `text`. */
export const EXPORT_FORMATS = ['md', 'json', 'text', 'plain'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];
