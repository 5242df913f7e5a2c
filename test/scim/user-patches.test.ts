import { describe, expect, it } from 'vitest';
import type { UserProfile } from '../../src/domain/user/user.js';
import { applyChanges } from '../../src/domain/user/profile-changes.js';
import { readUserPatch } from '../../src/scim/read-patch.js';
import { refusalOf } from './refusal-of.js';
import { APPLIED_PATCHES, REFUSED_PATCHES, type UserPatch } from './user-patch-cases.js';

const profileOf = (part: Partial<UserProfile>): UserProfile => ({
  userName: 'ada',
  active: true,
  ...part,
});

const patch = ({ before, operations }: UserPatch): UserProfile =>
  applyChanges(profileOf(before), readUserPatch({ Operations: operations }));

describe('a PATCH of a user:', () => {
  it.each(APPLIED_PATCHES)('$title', (each) => {
    expect(patch(each)).toEqual(profileOf(each.after));
  });

  it.each(APPLIED_PATCHES)('is idempotent: $title', (each) => {
    const once = patch(each);
    const again = applyChanges(once, readUserPatch({ Operations: each.operations }));
    expect(again).toEqual(once);
  });
});

describe('a refused PATCH of a user:', () => {
  it.each(REFUSED_PATCHES)('$title', (each) => {
    const refusal = refusalOf(() => patch(each));
    expect(refusal).toMatchObject({ code: 'INVALID_REQUEST', scimType: each.refused });
    expect(refusal.message).toContain(each.message ?? '');
  });
});
