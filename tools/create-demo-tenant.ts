import { SCOPES } from '../src/domain/scopes.js';
import { createApiClient } from './shared/api-client.js';

const SLUG = 'demo';
const KEYS = `/${SLUG}/api-keys`;

interface RunningGateway {
  readonly url: string;
  readonly adminToken: string;
}

/** Creates the tenant `demo` with a key. Resolves with the key, or undefined if it existed. */
export const createDemoTenant = async ({
  url,
  adminToken,
}: RunningGateway): Promise<string | undefined> => {
  const operator = createApiClient(() => `${url}/admin/v1/tenants`, adminToken);
  const body = { slug: SLUG, name: 'Demo', seat_capacity: 50, room_provisioning: 'automatic' };
  const tenant = await operator.send('POST', '', { body });
  if (tenant.status !== 201 && !tenant.text.includes('SLUG_TAKEN')) throw new Error(tenant.text);
  const keys = await operator.expect(200, 'GET', KEYS);
  if ((keys.json() as { readonly total: number }).total > 0) return undefined;
  const options = { description: 'Development', scopes: [...SCOPES, 'webhooks'] };
  const created = await operator.expect(201, 'POST', KEYS, options);
  return (created.json() as { readonly key: string }).key;
};
