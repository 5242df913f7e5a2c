import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { generateApiKey } from '../../src/http/access/credentials.js';
import { type Attack, countsOf, type Outcome, type Scene } from './hostile-attacks.js';
import type { HoldPlan } from './stranger.js';

const REQUESTS = 5_000;
const CONNECTIONS = 100;

const portOf = ({ gateway }: Scene): number => Number(new URL(gateway).port);

const headOf = (line: string, ...headers: readonly string[]): string =>
  `${[`${line} HTTP/1.1`, 'Host: gateway', ...headers].join('\r\n')}\r\n\r\n`;

const random = (): string => randomBytes(32).toString('base64url');

/** Requests that differ in their credentials, which are all made up. */
const madeUp = (
  name: string,
  line: (scene: Scene) => string,
  credentials: () => string,
): Attack => ({
  name: `${REQUESTS.toLocaleString('en')} requests with ${name}`,
  run: async (scene) => {
    const requests = Array.from({ length: REQUESTS }, () => headOf(line(scene), credentials()));
    const counts = await scene.stranger.call('send', {
      ...{ port: portOf(scene), maxMs: scene.milliseconds, requests },
      connections: CONNECTIONS,
    });
    return { summary: countsOf(counts) };
  },
});

const usersOf = ({ tenant }: Scene): string => `GET /v1/${tenant.slug}/users`;

/** Writes of an operator during an attack. */
const WRITES = 10;

const operatorWrites = async ({ operator, tenant, milliseconds }: Scene): Promise<number> => {
  let failed = 0;
  for (let write = 0; write < WRITES; write += 1) {
    await sleep(milliseconds / (WRITES + 2));
    const body = { name: `write ${write}` };
    const { status } = await operator.send('PATCH', `/tenants/${tenant.slug}`, { body });
    if (status !== 200) failed += 1;
  }
  return failed;
};

type Head = (scene: Scene) => string | Promise<string>;

const announcing = (bytes: number, type = 'application/json'): readonly string[] => [
  `Content-Type: ${type}`,
  `Content-Length: ${bytes}`,
];

/** Connections whose bodies never come, while an operator changes a tenant. */
const withoutBody = (name: string, connections: number, head: Head): Attack => ({
  name: `${connections.toLocaleString('en')} bodies that never come: ${name}`,
  run: async (scene): Promise<Outcome> => {
    const plan: HoldPlan = {
      ...{ port: portOf(scene), maxMs: scene.milliseconds, head: await head(scene) },
      ...{ connections, total: 3 * connections },
    };
    const [counts, failed] = await Promise.all([
      scene.stranger.call('hold', plan),
      operatorWrites(scene),
    ]);
    return {
      summary: countsOf(counts),
      problem: failed === 0 ? undefined : `${failed} of ${WRITES} writes of an operator failed`,
    };
  },
});

/** Opens a setup link of the tenant; returns the head of a write in its session. */
const setupHead = async ({ gateway, operator, tenant }: Scene): Promise<string> => {
  const links = `/tenants/${tenant.slug}/setup-links`;
  const issued = await operator.expect(201, 'POST', links, { integrations: true });
  const { url: link } = issued.json() as { readonly url: string };
  const response = await fetch(`${gateway}/admin/v1/setup-session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ link: link.split('#')[1] }),
  });
  const [cookie = ''] = response.headers.getSetCookie();
  const { csrf_token: csrf } = (await response.json()) as { readonly csrf_token: string };
  return headOf(
    `POST /admin/v1/tenants/${tenant.slug}/webhooks`,
    ...[`Cookie: ${cookie.split(';')[0]}`, `X-CSRF-Token: ${csrf}`, `Origin: ${gateway}`],
    ...['X-Rollgate-Session: setup', ...announcing(65_536)],
  );
};

/** What anyone can do who reaches the gateway, or has a customer's setup link. */
export const STRANGER_ATTACKS: readonly Attack[] = [
  madeUp('other Authorization headers', usersOf, () => `Authorization: Bearer ${random()}`),
  madeUp(
    'other cookies',
    () => 'GET /admin/v1/tenants',
    () => `Cookie: rg_sid=${random()}`,
  ),
  madeUp('other well-formed keys', usersOf, () => `Authorization: Bearer ${generateApiKey().key}`),
  withoutBody('sign-in', 2_200, () => headOf('POST /admin/v1/session', ...announcing(16_384))),
  withoutBody('setup link', 600, setupHead),
  withoutBody('token endpoint', 4_200, ({ tenant }) =>
    headOf(
      `POST /v1/${tenant.slug}/oauth2/token`,
      ...announcing(8_192, 'application/x-www-form-urlencoded'),
    ),
  ),
];
