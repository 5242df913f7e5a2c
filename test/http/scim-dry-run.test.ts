import { describe, expect, it } from 'vitest';
import { CANONICAL, openEdge } from '../support/edge.js';
import { SCIM_TYPE, ScimClient } from '../scim/scim-client.js';

const open = async () =>
  new ScimClient(await openEdge({}, { roomProvisioning: 'automatic' }), CANONICAL);

/** Of the tenant's users, or of another collection. */
const stored = ({ fake }: ScimClient, name: 'users' | 'groups' | 'memberships' = 'users') =>
  fake.collections[name].find({ tenant: fake.tenant.id }).toArray();

const tryOut = (
  scim: ScimClient,
  verb: 'post' | 'put' | 'patch' | 'delete',
  path: string,
  body?: object,
) => scim.send(verb, path, body).set('Prefer', 'dry-run');

describe('a dry run', () => {
  it('returns the response that the request would have, and changes nothing', async () => {
    const scim = await open();
    const answer = await tryOut(scim, 'post', '/Users', { userName: 'ada@example.com' }).expect(
      200,
    );
    expect(answer.headers).toMatchObject({
      'content-type': SCIM_TYPE,
      'preference-applied': 'dry-run',
    });
    expect(answer.headers).not.toHaveProperty('etag');
    expect(answer.headers).not.toHaveProperty('location');
    expect(answer.body).toMatchObject({
      dry_run: true,
      status: 201,
      body: { userName: 'ada@example.com', meta: { version: 'W/"1"' } },
      events: [{ event: 'user.created' }],
      event_count: 1,
      role_changes: [],
      remaining: 0,
    });
    expect(await stored(scim)).toEqual([]);
    expect(scim.fake.submissions).toEqual([]);
  });

  it.each([
    ['put', { userName: 'other@example.com' }, 200, { userName: 'other@example.com' }],
    [
      'patch',
      { Operations: [{ op: 'replace', path: 'active', value: false }] },
      200,
      { active: false },
    ],
    ['delete', undefined, 204, null],
  ] as const)('previews %s', async (verb, body, status, expected) => {
    const scim = await open();
    const { id } = await scim.create();
    const before = await stored(scim);
    const answer = await tryOut(scim, verb, `/Users/${id}`, body).expect(200);
    const preview = answer.body as { body: object | null };
    expect(answer.body).toMatchObject({ dry_run: true, status });
    if (expected) expect(preview.body).toMatchObject(expected);
    else expect(preview.body).toBeNull();
    expect(await stored(scim)).toEqual(before);
  });

  it('can be requested by query parameter, like in the other APIs', async () => {
    const scim = await open();
    const { id } = await scim.create();
    const before = await stored(scim);
    const preview = await scim.delete(`/Users/${id}?dry_run=true`).expect(200);
    expect(preview.body).toMatchObject({ dry_run: true, status: 204 });
    expect(preview.headers).not.toHaveProperty('preference-applied');
    const patch = { Operations: [{ op: 'replace', path: 'active', value: false }] };
    const patched = await scim.send('patch', `/Users/${id}?DRY_RUN=true`, patch).expect(200);
    expect(patched.body).toMatchObject({ dry_run: true, body: { active: false } });
    const unclear = await scim.delete(`/Users/${id}?dry_run=1`).expect(400);
    expect(unclear.body).toMatchObject({ details: [{ path: 'dry_run' }] });
    expect(await stored(scim)).toEqual(before);
    await scim.delete(`/Users/${id}?dry_run=false`).expect(204);
  });

  it('returns a refusal in its own format', async () => {
    const scim = await open();
    await scim.create({ userName: 'ada@example.com' });
    const taken = await tryOut(scim, 'post', '/Users', { userName: 'ADA@example.com' }).expect(200);
    expect(taken.body).toMatchObject({
      dry_run: true,
      status: 409,
      body: { status: '409', scimType: 'uniqueness', request_id: taken.headers['x-request-id'] },
      event_count: 0,
    });
    const unread = await tryOut(scim, 'post', '/Users', {}).expect(200);
    expect(unread.body).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } });
  });

  it('omits the members of a group, which only events show', async () => {
    const scim = await open();
    const { id } = await scim.create();
    const body = { displayName: 'Dispatch', members: [{ value: id }] };
    const made = await tryOut(scim, 'post', '/Groups', body).expect(200);
    expect(made.body).toMatchObject({
      status: 201,
      body: { displayName: 'Dispatch' },
      events: [{ event: 'group.created' }, { event: 'room.member_added' }],
    });
    expect((made.body as { body: object }).body).not.toHaveProperty('members');
    expect(await stored(scim, 'groups')).toEqual([]);
    const group = (await scim.post('/Groups', body).expect(201)).body as { id: string };
    const emptied = { Operations: [{ op: 'remove', path: 'members' }] };
    const patched = await tryOut(scim, 'patch', `/Groups/${group.id}`, emptied).expect(200);
    expect(patched.body).toMatchObject({
      status: 204,
      body: null,
      events: [{ event: 'room.member_removed' }],
    });
    expect(await stored(scim, 'memberships')).toHaveLength(1);
  });

  it('returns errors that do not depend on the request as they are', async () => {
    const scim = await open();
    const reader = await scim.withScopes('scim:read');
    await tryOut(reader, 'post', '/Users', { userName: 'a' }).expect(403);
    await tryOut(scim, 'put', '/Users', {}).expect(405);
  });

  it('is ignored by reads', async () => {
    const scim = await open();
    const { id } = await scim.create();
    const answer = await scim.get(`/Users/${id}`).set('Prefer', 'dry-run').expect(200);
    expect(answer.body).toMatchObject({ id });
    expect(answer.headers).not.toHaveProperty('preference-applied');
  });
});
