import { parametersOf } from './openapi.js';
import { ROUTES } from './routes/index.js';

/** The routes for docs/rest.md. */
export function routeTable(): string {
  return ROUTES.map(({ path, command, summary, query }) => {
    const rows = parametersOf(query).map(({ name, required, description, schema }) => {
      const { default: usual, enum: choices } = schema;
      const values = Array.isArray(choices) ? `; ${choices.map((each) => `\`${each}\``).join(', ')}` : '';
      const otherwise = usual === undefined ? '' : `; default \`${usual}\``;
      return `| \`${name}\`${required ? ', required' : ''} | ${description}${values}${otherwise} |`;
    });
    const table = rows.length === 0 ? [] : ['', '| parameter | |', '| --- | --- |', ...rows];
    return [`### GET /api/v1${path}`, '', `${summary}: \`${command}\`.`, ...table].join('\n');
  }).join('\n\n');
}
