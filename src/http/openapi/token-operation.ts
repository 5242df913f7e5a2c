import { componentRef, headerRefs } from './schema-catalogue.js';
import { type Operation, RATE_HEADERS } from './operation.js';

const text = (description: string) => ({ type: 'string', description });

const error = (description: string, codes: readonly string[]) => ({
  description,
  headers: headerRefs('X-Request-Id'),
  content: {
    'application/json': {
      schema: {
        type: 'object',
        properties: {
          error: { type: 'string', enum: codes },
          error_description: { type: 'string' },
        },
        required: ['error', 'error_description'],
      },
    },
  },
});

/** An API key exchanged for an access token (RFC 6749, 4.4); no route, since its body is a form. */
const createAccessToken: Operation = {
  operationId: 'createAccessToken',
  tags: ['Key and capacity'],
  summary: 'Exchange an API key for an access token',
  description:
    'The client credentials grant of OAuth 2.0 (RFC 6749, 4.4), in tenants with the setting ' +
    '`scim.access_tokens`. The client id is the id of an API key, the client secret is the key: in ' +
    'the body, or by HTTP Basic. The token is used like the key, and ends with it.',
  security: [],
  parameters: [componentRef('parameters', 'tenantSlug')],
  requestBody: {
    required: true,
    content: {
      'application/x-www-form-urlencoded': {
        schema: {
          type: 'object',
          properties: {
            grant_type: { type: 'string', enum: ['client_credentials'] },
            client_id: text('The id of the API key.'),
            client_secret: text('The API key.'),
            scope: text(
              "Some of the key's scopes, separated by spaces. Absent, or `.default`: all.",
            ),
          },
          required: ['grant_type'],
        },
      },
    },
  },
  responses: {
    200: {
      description: 'The token.',
      headers: headerRefs('X-Request-Id', ...RATE_HEADERS),
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: {
              access_token: { type: 'string' },
              token_type: { type: 'string', enum: ['Bearer'] },
              expires_in: { type: 'integer', description: 'In seconds; 3,600 at most.' },
              scope: { type: 'string' },
            },
            required: ['access_token', 'token_type', 'expires_in', 'scope'],
          },
        },
      },
    },
    400: error('The request is not valid (RFC 6749, 5.2).', [
      'invalid_request',
      'unsupported_grant_type',
      'invalid_scope',
    ]),
    413: componentRef('responses', 'PayloadTooLarge'),
    429: componentRef('responses', 'RateLimited'),
    500: componentRef('responses', 'Internal'),
    503: componentRef('responses', 'Unavailable'),
    401: error('The client is not valid, or the tenant issues no tokens.', ['invalid_client']),
  },
};

export const TOKEN_PATHS = {
  '/v1/{tenantSlug}/oauth2/token': { post: createAccessToken },
};
