/** The forms in which a collection is exported. */
export const EXPORT_FORMATS = ['md', 'json', 'text'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];
