import type { z } from 'zod';
import { ACTIONS } from './actions/index.js';
import { parametersOf } from './openapi.js';
import type { Address } from './route.js';
import { ROUTES } from './routes/index.js';

/** The routes and actions for docs/rest.md. */
export function routeTable(): string {
  return [
    ...ROUTES.map((route) => section('GET', route, route.query, 'parameter')),
    ...ACTIONS.map((action) => section('POST', action, action.body, 'field')),
  ].join('\n\n');
}

function section(
  method: string,
  { path, command, summary, inWing = false }: Address,
  takes: z.ZodObject,
  what: string,
): string {
  const rows = parametersOf(takes).map(({ name, required, description, schema }) => {
    const { default: usual, enum: choices } = schema;
    const values = Array.isArray(choices) ? `; ${choices.map((each) => `\`${each}\``).join(', ')}` : '';
    const otherwise = usual === undefined ? '' : `; default \`${usual}\``;
    return `| \`${name}\`${required ? ', required' : ''} | ${description}${values}${otherwise} |`;
  });
  const table = rows.length === 0 ? [] : ['', `| ${what} | |`, '| --- | --- |', ...rows];
  return [
    `### ${method} /api/v1${path}`,
    '',
    `${summary}: \`${command}\`.${inWing ? ' Also with a token for one wing.' : ''}`,
    ...table,
  ].join('\n');
}
