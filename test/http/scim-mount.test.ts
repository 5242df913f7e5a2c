import express from 'express';
import request from 'supertest';
import { describe, expect, it } from 'vitest';
import { attachContext, contextOf } from '../../src/http/request-context.js';
import { createBodyIntake } from '../../src/http/json/body-intake.js';
import { createLongResponses } from '../../src/http/long-responses.js';
import { resourceRouter } from '../../src/http/scim/resource-router.js';
import { GROUP_OPERATIONS } from '../../src/scim/group-operations.js';
import type { ScimOperation } from '../../src/scim/scim-request.js';
import { USER_OPERATIONS } from '../../src/scim/user-operations.js';
import { createFakeLog } from '../support/fake-log.js';

/** Runs no operation: returns which one the request reached, in the status that it would send. */
const createApp = () => {
  const reached: ScimOperation[] = [];
  const app = express();
  const intake = createBodyIntake(() => '');
  const longResponses = createLongResponses({ isBusy: () => false });
  app.use(attachContext(createFakeLog().log, intake, longResponses));
  app.use('/v1/:slug/scim/v2', (given, response, next) => {
    contextOf(given).runScim = (operation) => {
      reached.push(operation);
      if (operation === USER_OPERATIONS.delete) return Promise.reject(new Error('refused'));
      response.writeHead(207).end();
      return Promise.resolve();
    };
    next();
  });
  app.use('/v1/:slug/scim/v2', resourceRouter());
  app.use(((error: Error, _request, response, _next) => {
    response.writeHead(599).end(error.message);
  }) as express.ErrorRequestHandler);
  return { app, reached };
};

describe('scimmy-routers', () => {
  it.each([
    ['get', '/Users', USER_OPERATIONS.list],
    ['get', '/Users?filter=constructor.keys%20eq%20%22x%22&count=5', USER_OPERATIONS.list],
    ['post', '/Users', USER_OPERATIONS.create],
    ['get', '/Users/1', USER_OPERATIONS.read],
    ['head', '/Users/1', USER_OPERATIONS.read],
    ['put', '/Users/1', USER_OPERATIONS.replace],
    ['patch', '/Users/1/', USER_OPERATIONS.patch],
    ['get', '/Groups', GROUP_OPERATIONS.list],
    ['post', '/Groups/', GROUP_OPERATIONS.create],
    ['get', '/Groups/1', GROUP_OPERATIONS.read],
    ['put', '/Groups/1', GROUP_OPERATIONS.replace],
    ['patch', '/Groups/1', GROUP_OPERATIONS.patch],
    ['delete', '/Groups/1', GROUP_OPERATIONS.delete],
  ] as const)('routes %s %s to its operation', async (method, path, operation) => {
    const { app, reached } = createApp();
    const response = await request(app)[method](`/v1/acme/scim/v2${path}`);
    expect(reached).toEqual([operation]);
    expect(response.status).toBe(207);
    expect(response.headers).not.toHaveProperty('content-type');
  });

  it('passes errors of an operation on unchanged', async () => {
    const { app } = createApp();
    const response = await request(app).delete('/v1/acme/scim/v2/Users/1');
    expect(response.status).toBe(599);
    expect(response.text).toBe('refused');
  });

  it.each(['/Schemas', '/Bulk', '/Me', '/.search', '/unknown'])(
    'leaves %s to the gateway',
    async (path) => {
      const { app, reached } = createApp();
      expect((await request(app).get(`/v1/acme/scim/v2${path}`)).status).toBe(404);
      expect(reached).toEqual([]);
    },
  );
});
