import { describe, expect, it } from 'vitest';
import type { BulkOutcome } from '../../../src/domain/commands.js';
import type { UserId } from '../../../src/domain/kernel/ids.js';
import type { JsonValue } from '../../../src/domain/kernel/json.js';
import { refuse } from '../../../src/domain/kernel/refusals.js';
import { bulkResponse } from '../../../src/scim/bulk/run-bulk.js';
import { prepareBulk } from '../../../src/scim/bulk/prepare-bulk.js';
import { readBulk } from '../../../src/scim/bulk/read-bulk.js';
import { aTenant, aUser } from '../../support/builders.js';

const BASE = 'http://gateway.test/v1/acme/scim/v2';

interface OperationResponse {
  readonly location?: string;
  readonly status: string;
  readonly response?: { readonly detail: string; readonly details?: readonly object[] };
}

/**
 * The response to operations with the outcomes that `outcomesOf` returns for their resource ids.
 */
const respond = async (
  Operations: readonly JsonValue[],
  outcomesOf: (ids: readonly string[]) => readonly BulkOutcome[],
): Promise<readonly OperationResponse[]> => {
  const { prepared } = await prepareBulk(readBulk({ Operations: [...Operations] }, 100), aTenant());
  const outcomes = outcomesOf(prepared.map(({ resourceId = '' }) => resourceId));
  const body = bulkResponse(prepared, outcomes, { base: BASE, requestId: 'r', isStrict: false });
  return body['Operations'] as unknown as readonly OperationResponse[];
};

const CREATED: BulkOutcome = { result: aUser(1) };
const TAKEN: BulkOutcome = {
  refusal: refuse('USERNAME_TAKEN', 'Another user has this user name.'),
};

const unknown = (id: string): BulkOutcome => ({
  refusal: refuse('INVALID_REQUEST', `No user has the id "${id}".`, {
    details: [{ path: 'members', message: `no user has the id ${id}` }],
  }),
});

const user = { method: 'POST', path: '/Users', bulkId: 'ada', data: { userName: 'ada' } };
const team = {
  method: 'POST',
  path: '/Groups',
  bulkId: 'team',
  data: { displayName: 'Team', members: [{ value: 'bulkId:ada' }] },
};
const patch = { method: 'PATCH', path: '/Users/bulkId:ada', data: { Operations: [] } };

describe('bulkResponse', () => {
  it("refers to a resource that was not created by the client's bulkId, never by its id", async () => {
    const [created, group, patched] = await respond([user, team, patch], ([ada = '']) => [
      TAKEN,
      unknown(ada),
      { refusal: refuse('USER_NOT_FOUND', 'No user has this id.') },
    ]);
    expect(created).not.toHaveProperty('location');
    expect(group?.response).toMatchObject({
      detail: 'No user has the id "bulkId:ada".',
      details: [{ path: 'members', message: 'no user has the id bulkId:ada' }],
    });
    expect(patched).toMatchObject({ status: '404' });
    expect(patched).not.toHaveProperty('location');
  });

  it('refers to every other resource by its id and URL', async () => {
    const other = aUser(7).id;
    const [created, group, patched] = await respond([user, team, patch], ([ada = '']) => [
      { result: { ...aUser(1), id: ada as UserId } },
      unknown(other),
      CREATED,
    ]);
    expect(group?.response?.detail).toBe(`No user has the id "${other}".`);
    expect(created?.location).toMatch(`${BASE}/Users/`);
    expect(patched?.location).toBe(created?.location);
  });

  it('omits skipped operations, and the location of a refused POST', async () => {
    const { id } = aUser(7);
    const posted = { method: 'POST', path: `/Users/${id}`, data: {} };
    const removal = { method: 'DELETE', path: `/Users/${id}` };
    const responses = await respond([posted, removal, user], () => [
      { refusal: refuse('METHOD_NOT_ALLOWED', 'POST is not allowed on this path.') },
      { result: null },
      null,
    ]);
    expect(responses.map(({ location }) => location)).toEqual([undefined, `${BASE}/Users/${id}`]);
  });
});
