import { beforeAll, describe, expect, it } from 'vitest';
import type { RoomId } from '../../src/domain/kernel/ids.js';
import { newId } from '../../src/pipeline/submit.js';
import { requestTo } from '../support/ask.js';
import { ADMIN_TOKEN, CANONICAL, type TestApp, openEdge } from '../support/edge.js';
import { ScimClient } from '../scim/scim-client.js';

const HIDDEN = 'ad\u200bmin';
const SPACED = 'ad\u00a0min';

let given: Ids & { readonly fake: TestApp };
beforeAll(async () => {
  const fake = await openEdge({}, { roomProvisioning: 'automatic' });
  const scim = new ScimClient(fake, CANONICAL);
  const user = await scim.create();
  const group = (await scim.post('/Groups', { displayName: 'Group' })).body as { id: string };
  const roomId = newId<RoomId>();
  await fake.run({ type: 'room.create', roomId, name: 'Room' });
  given = { fake, userId: user.id, groupId: group.id, roomId };
});

interface Request {
  readonly method: 'post' | 'put' | 'patch';
  readonly path: string;
  readonly body: object;
}

interface Ids {
  readonly userId: string;
  readonly groupId: string;
  readonly roomId: string;
}

const send = ({ app, key }: TestApp, { method, path, body }: Request) => {
  const client = requestTo(app);
  return client[method](path)
    .set('Authorization', `Bearer ${path.startsWith('/admin') ? ADMIN_TOKEN : key}`)
    .send(body);
};

type Make = (text: string, ids: Ids) => Request;

const post =
  (path: string, body: (text: string) => object): Make =>
  (text) => ({ method: 'post', path, body: body(text) });

const patch =
  (path: (ids: Ids) => string, body: (text: string) => object) =>
  (text: string, ids: Ids): Request => ({
    method: 'patch',
    path: path(ids),
    body: body(text),
  });

const step = (path: string) => (value: string) => ({
  Operations: [{ op: 'replace', path, value }],
});

const PLACES: readonly (readonly [string, string, Make])[] = [
  ['SCIM', 'userName', post(`${CANONICAL}/Users`, (userName) => ({ userName }))],
  [
    'SCIM',
    'externalId',
    post(`${CANONICAL}/Users`, (externalId) => ({ userName: 'x', externalId })),
  ],
  [
    'SCIM',
    'emails[0].value',
    post(`${CANONICAL}/Users`, (value) => ({ userName: 'x', emails: [{ value }] })),
  ],
  [
    'SCIM',
    'emails.value',
    patch(({ userId }) => `${CANONICAL}/Users/${userId}`, step('emails[type eq "work"].value')),
  ],
  ['SCIM', 'displayName', post(`${CANONICAL}/Groups`, (displayName) => ({ displayName }))],
  [
    'SCIM',
    'externalId',
    post(`${CANONICAL}/Groups`, (externalId) => ({ displayName: 'G', externalId })),
  ],
  [
    'SCIM',
    'displayName',
    patch(({ groupId }) => `${CANONICAL}/Groups/${groupId}`, step('displayName')),
  ],
  ['native', 'email', post('/v1/acme/users', (text) => ({ email: `${text}@example.com` }))],
  [
    'native',
    'external_id',
    post('/v1/acme/users', (external_id) => ({ email: 'x@example.com', external_id })),
  ],
  [
    'native',
    'display_name',
    patch(
      ({ roomId }) => `/v1/acme/rooms/${roomId}`,
      (display_name) => ({ display_name }),
    ),
  ],
  [
    'native',
    'external_id',
    patch(
      ({ roomId }) => `/v1/acme/rooms/${roomId}`,
      (external_id) => ({ external_id }),
    ),
  ],
  ['operators', 'name', post('/admin/v1/tenants/acme/rooms', (name) => ({ name }))],
  [
    'operators',
    'name',
    patch(
      ({ roomId }) => `/admin/v1/tenants/acme/rooms/${roomId}`,
      (name) => ({ name }),
    ),
  ],
  [
    'operators',
    'group_display_name',
    post('/admin/v1/tenants/acme/role-mappings', (group_display_name) => ({
      group_display_name,
      role: 'r',
    })),
  ],
  [
    'operators',
    'role',
    post('/admin/v1/tenants/acme/role-mappings', (role) => ({ group_display_name: 'g', role })),
  ],
  [
    'operators',
    'default_role',
    patch(
      () => '/admin/v1/tenants/acme',
      (default_role) => ({ default_role }),
    ),
  ],
];

describe.each(PLACES)(
  'a name with an invisible character, in the %s API as %s',
  (_api, at, make) => {
    it.each([
      [HIDDEN, 'must not contain the invisible character U+200B (character 3)'],
      [SPACED, 'must not contain the space U+00A0 (character 3); use U+0020'],
    ])('is refused: %j', async (text, message) => {
      const { fake, ...ids } = given;
      const before = fake.submissions.length;

      const answer = await send(fake, make(text, ids));

      expect(answer.status).toBe(400);
      const { details } = answer.body as { details: readonly object[] };
      expect(details).toContainEqual({ path: at, message });
      expect(fake.submissions).toHaveLength(before);
    });
  },
);

it('allows joiners, selectors and direction marks in names of people, which are free text', async () => {
  const { fake } = given;
  const displayName = 'Zoë 👩\u200d🚒❤\ufe0f\u200f\u00a0X';

  const scim = await send(fake, {
    method: 'post',
    path: `${CANONICAL}/Users`,
    body: { userName: 'zoe', displayName, name: { formatted: displayName } },
  });
  const native = await send(fake, {
    method: 'post',
    path: '/v1/acme/users',
    body: { email: 'zoe2@example.com', display_name: displayName },
  });

  expect([scim.status, scim.body]).toMatchObject([201, { displayName }]);
  expect([native.status, native.body]).toMatchObject([201, { display_name: displayName }]);
});
