import type { Address } from '../adapters/rest.js';
import { ACTIONS, type Asked, ROUTES } from './addresses.js';
import { parametersOf } from './openapi.js';

/** The routes and actions for docs/rest.md. */
export function routeTable(): string {
  return [
    ...ROUTES.map((route) => section('GET', route, 'parameter')),
    ...ACTIONS.map((action) => section('POST', action, 'field')),
  ].join('\n\n');
}

function section(method: string, address: Address<Asked>, what: string): string {
  const { path, command, summary, inWing = false } = address;
  const rows = parametersOf(address).map(({ name, required, description, schema }) => {
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
