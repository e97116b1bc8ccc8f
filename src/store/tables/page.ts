import type { Sql } from '../db/sql.js';

export interface Page {
  limit: number;
  offset: number;
}

/**
 * Some of the rows that a query selects, and the number of all.
 *
 * @param query.from tables and conditions: `FROM sources s WHERE …`
 * @param query.order a total one
 */
export function pageOf<Row>(
  sql: Sql,
  { columns, from, order }: { columns: string; from: string; order: string },
  parameters: Record<string, unknown>,
  page: Page,
): { rows: Row[]; total: number } {
  const rows = sql.all<Row>(`SELECT ${columns} ${from} ORDER BY ${order} LIMIT @limit OFFSET @offset`, {
    ...parameters,
    ...page,
  });
  return { rows, total: sql.count(from, parameters) };
}
