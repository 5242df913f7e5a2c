import { describe, expect, it } from 'vitest';
import type { BulkOutcome } from '../../../src/domain/commands.js';
import type { JsonValue } from '../../../src/domain/json.js';
import { refuse } from '../../../src/domain/refusals.js';
import { bulkResponse } from '../../../src/scim/bulk/bulk-response.js';
import { DEFAULT_SCIM_SETTINGS } from '../../../src/domain/tenant.js';
import { prepareBulk } from '../../../src/scim/bulk/prepare-bulk.js';
import { readBulk } from '../../../src/scim/bulk/read-bulk.js';
import { aUser } from '../../support/builders.js';

const BASE = 'http://gateway.test/v1/acme/scim/v2';

interface Answered {
  readonly location?: string;
  readonly status: string;
  readonly response?: { readonly detail: string; readonly details?: readonly object[] };
}

/** Answers operations that came to what `outcomesOf` says of the resources they are about. */
const answer = async (
  Operations: readonly JsonValue[],
  outcomesOf: (ids: readonly string[]) => readonly BulkOutcome[],
): Promise<readonly Answered[]> => {
  const { prepared } = await prepareBulk(
    readBulk({ Operations: [...Operations] }, 100),
    DEFAULT_SCIM_SETTINGS,
  );
  const outcomes = outcomesOf(prepared.map(({ resourceId = '' }) => resourceId));
  const body = bulkResponse(prepared, outcomes, { base: BASE, requestId: 'r', isStrict: false });
  return body['Operations'] as unknown as readonly Answered[];
};

const MADE: BulkOutcome = { result: aUser(1) };
const TAKEN: BulkOutcome = { refusal: refuse('USERNAME_TAKEN', 'Another user has this name.') };

const unknown = (id: string): BulkOutcome => ({
  refusal: refuse('INVALID_REQUEST', `No user has the id "${id}".`, {
    details: [{ path: 'members', message: `no user has the id ${id}` }],
  }),
});

const person = { method: 'POST', path: '/Users', bulkId: 'ada', data: { userName: 'ada' } };
const team = {
  method: 'POST',
  path: '/Groups',
  bulkId: 'team',
  data: { displayName: 'Team', members: [{ value: 'bulkId:ada' }] },
};
const patch = { method: 'PATCH', path: '/Users/bulkId:ada', data: { Operations: [] } };

describe('the answer to a Bulk', () => {
  it('tells of what was not made in the words of the client, who never saw its id', async () => {
    const [made, group, patched] = await answer([person, team, patch], ([ada = '']) => [
      TAKEN,
      unknown(ada),
      { refusal: refuse('USER_NOT_FOUND', 'No user has this id.') },
    ]);
    expect(made).not.toHaveProperty('location');
    expect(group?.response).toMatchObject({
      detail: 'No user has the id "bulkId:ada".',
      details: [{ path: 'members', message: 'no user has the id bulkId:ada' }],
    });
    expect(patched).toMatchObject({ status: '404' });
    expect(patched).not.toHaveProperty('location');
  });

  it('tells of every other resource by its id and address', async () => {
    const other = aUser(7).id;
    const [made, group, patched] = await answer([person, team, patch], () => [
      MADE,
      unknown(other),
      MADE,
    ]);
    expect(group?.response?.detail).toBe(`No user has the id "${other}".`);
    expect(made?.location).toMatch(`${BASE}/Users/`);
    expect(patched?.location).toBe(made?.location);
  });

  it('leaves out what was left undone, and names an address that cannot be posted to by none', async () => {
    const { id } = aUser(7);
    const posted = { method: 'POST', path: `/Users/${id}`, data: {} };
    const removal = { method: 'DELETE', path: `/Users/${id}` };
    const answered = await answer([posted, removal, person], () => [
      { refusal: refuse('METHOD_NOT_ALLOWED', 'POST cannot be done at this path.') },
      { result: null },
      null,
    ]);
    expect(answered.map(({ location }) => location)).toEqual([undefined, `${BASE}/Users/${id}`]);
  });
});
