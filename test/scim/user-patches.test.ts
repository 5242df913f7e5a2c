import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/domain/kernel/json.js';
import type { UserProfile } from '../../src/domain/user/user.js';
import { applyChanges } from '../../src/domain/user/profile-changes.js';
import { readUserPatch } from '../../src/scim/read-patch.js';
import { refusalOf } from './refusal-of.js';

/** A case of user-patches.json: what a client sends, and the resulting profile or refusal. */
interface Case {
  readonly title: string;
  /** In addition to userName and active. */
  readonly before: Partial<UserProfile>;
  readonly operations: JsonValue;
  readonly after?: Partial<UserProfile>;
  readonly refused?: string;
  readonly message?: string;
}

const ID = '00000000-0000-4000-8000-000000000001';

const cases = JSON.parse(
  readFileSync(new URL('../fixtures/scim/user-patches.json', import.meta.url), 'utf8').replaceAll(
    '{id}',
    ID,
  ),
) as readonly Case[];

const profileOf = (part: Partial<UserProfile>): UserProfile => ({
  userName: 'ada',
  active: true,
  ...part,
});

const patch = ({ before, operations }: Case): UserProfile =>
  applyChanges(profileOf(before), readUserPatch({ Operations: operations }, ID));

const applied = cases.filter(({ after }) => after !== undefined);
const refused = cases.filter(({ refused: scimType }) => scimType !== undefined);

describe('a PATCH of a user:', () => {
  it.each(applied)('$title', (each) => {
    expect(patch(each)).toEqual(profileOf(each.after ?? {}));
  });

  it.each(applied)('is idempotent: $title', (each) => {
    const once = patch(each);
    const again = applyChanges(once, readUserPatch({ Operations: each.operations }, ID));
    expect(again).toEqual(once);
  });
});

describe('a refused PATCH of a user:', () => {
  it.each(refused)('$title', (each) => {
    const refusal = refusalOf(() => patch(each));
    expect(refusal).toMatchObject({ code: 'INVALID_REQUEST', scimType: each.refused });
    expect(refusal.message).toContain(each.message ?? '');
  });
});

it('reads the cases of both kinds', () => {
  expect(applied.length + refused.length).toBe(cases.length);
  expect(applied.length).toBeGreaterThan(60);
  expect(refused.length).toBeGreaterThan(25);
});
