import { describe, expect, it } from 'vitest';
import {
  createPostmanCollection,
  type PostmanItem,
  readOpenApi,
} from '../../tools/openapi/write-postman.js';
import { TestGateway } from '../support/gateway.js';

const gateway = TestGateway.use();
const document = readOpenApi();
const collection = createPostmanCollection(document);
const items = collection.item.flatMap(({ item }) => item);

/** Sends it as Postman does: with the values of variables, and without what is disabled. */
const send = (
  { request }: PostmanItem,
  variables: Readonly<Record<string, string>>,
): Promise<Response> => {
  const fill = (text: string): string =>
    text.replace(/\{\{(\w+)\}\}/g, (_match, name: string) => variables[name] ?? '');
  const { method, url, header, body, auth } = request;
  const path = url.path.map((part) =>
    part.startsWith(':')
      ? fill(url.variable.find(({ key }) => `:${key}` === part)?.value ?? '')
      : part,
  );
  const { bearer } = auth as { readonly bearer: readonly { readonly value: string }[] };
  const active = header.filter(({ disabled }) => disabled !== true);
  return fetch([fill(url.host[0] ?? ''), ...path].join('/'), {
    method,
    headers: {
      ...Object.fromEntries(active.map(({ key, value }) => [key, value])),
      authorization: `Bearer ${fill(bearer[0]?.value ?? '')}`,
    },
    ...(body && { body: body.raw }),
  });
};

describe('the Postman collection', () => {
  it('has every operation once, with its parameters', () => {
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const shown = items.map(
      ({ request: { method, url } }) =>
        `${method} /${url.path.map((part) => part.replace(/^:(.+)$/, '{$1}')).join('/')}`,
    );
    expect(shown.toSorted()).toEqual(described.toSorted());
    for (const { request } of items)
      expect(request.url.variable.map(({ key }) => `:${key}`)).toEqual(
        expect.arrayContaining(request.url.path.filter((part) => part.startsWith(':'))),
      );
  });

  it.each([
    ['Create a user', 201],
    ['List users', 200],
    ['List tenants', 200],
    ['Create a tenant', 201],
  ])('%s works with the variables alone', async (name, status) => {
    const { url: baseUrl, adminToken } = await gateway.open();
    const { slug: tenant, key: apiKey } = await gateway.tenant();
    const item = items.find((each) => each.name === name);
    if (!item) throw new Error(`No ${name}; there are ${items.map((each) => each.name).join()}`);
    const response = await send(item, { baseUrl, adminToken, apiKey, tenant });
    expect(response.status).toBe(status);
  });
});
