import { z } from 'zod';
import type { Address } from '../adapters/rest.js';
import { ABOUT } from '../operations/fields.js';
import { ACTIONS, type Asked, ROUTES } from './addresses.js';
import { answers } from './documents.js';

type Json = Record<string, unknown>;

/** The description of the interface in OpenAPI 3.1. */
export function openApi(): Json {
  const named = [...new Set([...[...ROUTES, ...ACTIONS].flatMap((each) => each.documents), 'error'])];
  return {
    openapi: '3.1.0',
    info: {
      title: 'mempalace',
      version: '1',
      description: 'The commands of a palace. Each answers the document that the command prints with --json.',
    },
    servers: [{ url: '/api/v1' }],
    security: [{ token: [] }],
    paths: Object.fromEntries([
      ...ROUTES.map((route) => [route.path, { get: reading(route) }]),
      ...ACTIONS.map((action) => [action.path, { post: writing(action) }]),
      ['/events', { get: EVENTS }],
    ]),
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: Object.fromEntries(
        named.map((name) => [name, schemaOf(answers[name] ?? z.never(), 'output')]),
      ),
    },
  };
}

function reading(route: Address<Asked>): Json {
  return operation(route, {
    parameters: parametersOf(route),
    responses: { 304: { description: 'The client has it: the ETag of If-None-Match.' } },
  });
}

const EVENTS = {
  operationId: 'events',
  summary: 'What happens to the palace, as server-sent events',
  responses: {
    200: { description: 'The events.', content: { 'text/event-stream': { schema: { type: 'string' } } } },
    default: {
      description: 'The error.',
      content: { 'application/json': { schema: { $ref: '#/components/schemas/error' } } },
    },
  },
};

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'The same request with the same key is done once, and gets the same answer.',
  schema: { type: 'string', maxLength: 200 },
};

function writing(action: Address<Asked>): Json {
  return operation(action, {
    parameters: action.reads ? [] : [IDEMPOTENCY_KEY],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: schemaOf(action.takes, 'input') } },
    },
    responses: {},
  });
}

function operation(
  { path, command, summary, documents }: Address<Asked>,
  more: Json & { responses: Json },
): Json {
  const content = (names: readonly string[]): Json => {
    const [only, ...others] = names.map((name) => ({ $ref: `#/components/schemas/${name}` }));
    return { 'application/json': { schema: others.length === 0 ? only : { oneOf: [only, ...others] } } };
  };
  return {
    operationId: path.slice(1).replaceAll('/', '-'),
    summary,
    description: `As \`${command} --json\`.`,
    ...more,
    responses: {
      200: { description: 'The document.', content: content(documents) },
      ...more.responses,
      default: { description: 'The error.', content: content(['error']) },
    },
  };
}

/** Parameters of an address as OpenAPI describes them, in their order. */
export function parametersOf({
  takes,
}: Address<Asked>): { name: string; required: boolean; description: string; schema: Json }[] {
  const { properties = {}, required = [] } = schemaOf(takes, 'input');
  return Object.entries(Object(properties)).map(([name, property]) => {
    const { description = '', ...schema } = Object(property);
    return {
      name,
      in: 'query',
      required: Array.isArray(required) && required.includes(name),
      description,
      schema,
    };
  });
}

/** Without what only says that a number is a safe one, and open: fields may be added. */
function schemaOf(schema: z.core.$ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest }: Json = z.toJSONSchema(schema, {
    io,
    override({ zodSchema, jsonSchema }) {
      const about = ABOUT.get(zodSchema);
      if (about !== undefined) jsonSchema.description = about.description;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  });
  return rest;
}
