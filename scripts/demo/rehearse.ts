import { randomBytes } from 'node:crypto';
import type { HttpsReceiver } from '../../tooling/https-receiver.js';
import { type Answered, type Caller, createCaller, type Tally } from './caller.js';
import type { Cleanup } from '../../tooling/cleanup.js';
import { type Cast, FIRST_SEATS } from './day.js';
import { DemoFailure } from './demo-failure.js';
import { openMailbox } from './mailbox.js';
import type { Stage } from './stage.js';

export interface Rehearsal {
  readonly stage: Stage;
  readonly tally: Tally;
  readonly cleanUp: Cleanup;
  readonly receiver: HttpsReceiver;
  readonly url: string;
  readonly adminToken: string;
}

const KEYS = {
  Okta: ['scim:read', 'scim:write'],
  Entra: ['scim:read', 'scim:write'],
  Board: ['api:users:read', 'usage', 'webhooks'],
} as const;

/** A tenant of its own, a key for each player, and a webhook that is known to arrive. */
export const rehearse = async (rehearsal: Rehearsal): Promise<Cast> => {
  const { stage, url, adminToken, tally, cleanUp } = rehearsal;
  const operator = createCaller(
    { name: 'operator', base: `${url}/admin/v1`, token: adminToken },
    stage,
    tally,
  );
  const slug = `harbour-${randomBytes(3).toString('hex')}`;
  await operator('POST', '/tenants', {
    body: { slug, name: 'Harbour Rescue', seat_capacity: FIRST_SEATS },
    expect: 201,
    say: ({ seat_capacity }) => `tenant ${slug}, ${String(seat_capacity)} seats`,
  });
  const clearAway = callOnce(async () => {
    await operator('DELETE', `/tenants/${slug}`, { expect: 204, say: () => 'cleared away' });
  });
  cleanUp.defer(clearAway);
  const base = `${url}/v1/${slug}`;
  const player = async (name: keyof typeof KEYS, path: string): Promise<Caller> => {
    const token = await makeKey(operator, slug, name);
    return createCaller({ name, base: `${base}${path}`, token, isScim: path !== '' }, stage, tally);
  };
  const okta = await player('Okta', '/scim/v2');
  const entra = await player('Entra', '/scim/v2');
  const board = await player('Board', '');
  const mailbox = await registerWebhook(board, rehearsal);
  return { stage, mailbox, operator, okta, entra, board, slug, clearAway };
};

const callOnce = (task: () => Promise<void>): (() => Promise<void>) => {
  let called: Promise<void> | undefined;
  return () => (called ??= task());
};

const makeKey = async (
  operator: Caller,
  slug: string,
  name: keyof typeof KEYS,
): Promise<string> => {
  const { key } = await operator('POST', `/tenants/${slug}/api-keys`, {
    body: { description: name, scopes: KEYS[name] },
    expect: 201,
    say: () => `a key for ${name}`,
  });
  return key ?? missing('key');
};

const registerWebhook = async (board: Caller, { receiver, stage }: Rehearsal) => {
  const url = `https://127.0.0.1:${receiver.port}/webhooks`;
  const { id = missing('id'), secret = missing('secret') } = await board('POST', '/webhooks', {
    body: { url, events: ['*'], description: 'Alarm board' },
    expect: 201,
    say: () => 'a webhook for all events',
  });
  const mailbox = openMailbox(receiver, secret, stage);
  const test = await board('POST', `/webhooks/${id}/test`, { expect: 200, say: sayTested });
  if (test.delivered !== true) throw new DemoFailure(adviceOn(test));
  await mailbox.expect('webhook.test');
  return mailbox;
};

const sayTested = ({ delivered }: Answered): string =>
  delivered === true ? 'the receiver answers' : 'the receiver was not reached';

const adviceOn = ({ error }: Answered): string =>
  `The gateway does not reach the demo's receiver: ${String(error)}. A gateway that was not ` +
  'started by the demo must allow 127.0.0.0/8 (ROLLGATE_WEBHOOKS_ALLOW) and trust the ' +
  'demo\'s authority (ROLLGATE_WEBHOOKS_CA), as "npm run dev" does.';

const missing = (field: string): never => {
  throw new DemoFailure(`The answer has no "${field}".`);
};
