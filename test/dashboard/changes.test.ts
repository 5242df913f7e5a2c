import { describe, expect, it } from 'vitest';
import { changesOf } from '../../plugins/dashboard/app/changes.js';

const TENANT = {
  name: 'Acme',
  seats: 50 as number | null,
  tags: ['a'],
  scim: { strict: false, removals: 40 as number | null },
};

describe('the changes of a form', () => {
  it('are the fields that differ, of objects in it too', () => {
    const after = { ...TENANT, seats: null, scim: { strict: false, removals: 12 } };
    expect(changesOf(TENANT, after)).toEqual({ seats: null, scim: { removals: 12 } });
  });

  it('contain a changed list as a whole, and nothing if nothing differs', () => {
    expect(changesOf(TENANT, { ...TENANT, tags: [] })).toEqual({ tags: [] });
    expect(changesOf(TENANT, structuredClone(TENANT))).toEqual({});
  });

  it('contain texts without surrounding white space, but leave an old text as it is', () => {
    expect(changesOf(TENANT, { ...TENANT, name: ' Acme Rescue ' })).toEqual({
      name: 'Acme Rescue',
    });
    expect(changesOf(TENANT, { ...TENANT, name: 'Acme ' })).toEqual({});
    const old = { ...TENANT, name: 'Acme ' };
    expect(changesOf(old, old)).toEqual({});
    expect(changesOf(old, TENANT)).toEqual({ name: 'Acme' });
  });
});
