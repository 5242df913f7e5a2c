import { z } from 'zod';
import { CliError } from '../src/cli/cli-error.js';
import { createGatewayClient, type GatewayClient } from '../src/cli/gateway-client.js';
import { SCOPES } from '../src/domain/scopes.js';

const SLUG = 'demo';
const KEYS = `/tenants/${SLUG}/api-keys`;

interface Operated {
  readonly url: string;
  readonly adminToken: string;
}

/** The tenant to try things in. Answers with its key where that was made just now: it is shown once. */
export const openDemoTenant = async ({
  url,
  adminToken,
}: Operated): Promise<string | undefined> => {
  const client = createGatewayClient(
    {
      url,
      urlSource: 'the gateway',
      token: adminToken,
      tokenSource: 'the gateway',
      credential: 'admin token',
      publicUrl: url,
    },
    '/admin/v1',
  );
  await makeTenant(client);
  const { text: listed } = await client.request('GET', KEYS);
  if (z.object({ total: z.int() }).parse(JSON.parse(listed)).total > 0) return undefined;
  const body = { description: 'Development', scopes: [...SCOPES, 'webhooks'] };
  const { text: made } = await client.request('POST', KEYS, { body });
  return z.object({ key: z.string() }).parse(JSON.parse(made)).key;
};

const makeTenant = async (client: GatewayClient): Promise<void> => {
  const body = { slug: SLUG, name: 'Demo', seat_capacity: 50, room_provisioning: 'automatic' };
  await client.request('POST', '/tenants', { body }).catch((error: unknown) => {
    if (!(error instanceof CliError) || !error.message.startsWith('SLUG_TAKEN')) throw error;
  });
};
