import { expect } from 'vitest';
import { eventually } from './eventually.js';
import type { TestGateway } from './gateway.js';

/** The response, when the log has its request: a refusal is logged shortly after it is sent. */
export const logged = async <Response extends { readonly headers: Headers }>(
  gateway: TestGateway,
  slug: string,
  response: Response,
): Promise<Response> => {
  const operator = await gateway.operator();
  const path = `/tenants/${slug}/commands?request_id=${response.headers.get('x-request-id')}`;
  await eventually(async () => {
    const { body } = await operator<{ readonly commands: readonly object[] }>('GET', path);
    expect(body.commands).not.toEqual([]);
  });
  return response;
};
