import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonObject, type JsonValue } from '../../src/domain/kernel/json.js';
import { RefusalError } from '../../src/domain/kernel/refusals.js';
import type { UserProfile } from '../../src/domain/user/user.js';
import { applyChanges, type ProfileChange } from '../../src/domain/user/profile-changes.js';
import { isList } from '../../src/domain/user/profile-lists.js';
import { isStored } from '../../src/scim/attributes.js';
import { readUserPatch } from '../../src/scim/read-patch.js';
import { readUser } from '../../src/scim/read-user.js';
import { ENTERPRISE, USER } from '../../src/scim/schemas.js';
import { userBody, word } from '../scim/arbitraries.js';
import { expectQuick } from '../support/expect-quick.js';
import { propertyRuns } from '../support/property-runs.js';

const profile = userBody(word).map(readUser);

const PATHS = [
  'userName',
  'active',
  'title',
  'name',
  'name.givenName',
  'emails',
  'emails[type eq "a"]',
  'emails[type eq "a"].value',
  'emails[value co "a"].primary',
  'emails[primary eq true].display',
  'addresses',
  'addresses[type eq "work"].country',
  ENTERPRISE.urn,
  `${ENTERPRISE.urn}:manager`,
  `${ENTERPRISE.urn}:manager.value`,
  `${ENTERPRISE.urn}:department`,
];

const element = fc.record(
  { value: word, type: word, primary: fc.boolean(), display: word },
  { requiredKeys: [] },
);

const someValue: fc.Arbitrary<unknown> = fc.oneof(
  word,
  fc.boolean(),
  fc.constant(null),
  element,
  fc.array(element, { maxLength: 3 }),
  fc.record({ givenName: word, familyName: fc.option(word), manager: word }, { requiredKeys: [] }),
);

const operation = fc.record(
  {
    op: fc.constantFrom('add', 'replace', 'remove'),
    path: fc.constantFrom(...PATHS),
    value: someValue,
  },
  { requiredKeys: ['op', 'path', 'value'] },
);

/** As a SCIM PATCH; invalid operations are discarded. */
const changes: fc.Arbitrary<readonly ProfileChange[]> = fc
  .array(operation, { minLength: 1, maxLength: 5 })
  .map((Operations) => {
    try {
      return readUserPatch({ Operations });
    } catch {
      return [];
    }
  })
  .filter((read) => read.length > 0);

const read = (Operations: readonly object[]): readonly ProfileChange[] =>
  readUserPatch({ Operations });

const freeze = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(freeze);
  }
  return value;
};

/** The patched profile; undefined if the patch is refused. */
const attempt = (before: UserProfile, all: readonly ProfileChange[]): UserProfile | undefined => {
  try {
    return applyChanges(before, all);
  } catch (error) {
    if (error instanceof RefusalError) return undefined;
    throw error;
  }
};

const bodyOf = ({ enterprise, ...core }: UserProfile): object => ({
  ...core,
  ...(enterprise && { [ENTERPRISE.urn]: enterprise }),
});

/**
 * Whether a change moves elements out of its own selection: after `emails[type eq "a"]` gets
 * another type, the same path selects other elements or none (RFC 7644, 3.5.2), so repeating the
 * change may have an effect.
 */
const leavesItsSelection = ({ selector, member, value }: ProfileChange): boolean =>
  selector !== undefined && member === undefined && isJsonObject(value) && 'type' in value;

describe('applyChanges', () => {
  it('has the lists, case rules and required attributes of the SCIM schema', () => {
    const stored = [...USER.attributes.values()].filter(isStored);
    for (const { name, multiValued, subAttributes } of stored) {
      expect([name, isList(name)]).toEqual([name, multiValued]);
      if (!multiValued) continue;
      for (const { name: member, type, reference } of subAttributes.values()) {
        if (type === 'boolean') continue;
        const value = [{ [member]: 'A' }, { [member]: 'a' }];
        const twice = { op: 'add', path: [name], value } as const;
        const after = applyChanges({ userName: 'u', active: true }, [twice])[name];
        expect([name, member, after]).toEqual([
          name,
          member,
          reference.caseExact ? [{ [member]: 'A' }, { [member]: 'a' }] : [{ [member]: 'A' }],
        ]);
      }
    }
    const required = stored.filter((attribute) => attribute.required).map(({ name }) => name);
    expect(required).toEqual(['userName', 'active']);
    for (const path of required)
      expect(
        attempt({ userName: 'u', active: true }, read([{ op: 'remove', path }])),
      ).toBeUndefined();
  });

  it('returns a profile that a PUT would accept and store unchanged', () => {
    fc.assert(
      fc.property(profile, changes, (before, all) => {
        const after = attempt(before, all);
        if (after) expect(readUser(bodyOf(after))).toEqual(after);
      }),
      { numRuns: propertyRuns(1000) },
    );
  });

  it('does not change its arguments', () => {
    fc.assert(
      fc.property(profile, changes, (before, all) => {
        const copies = structuredClone([before, all]);
        attempt(freeze(before), freeze(all));
        expect([before, all]).toEqual(copies);
      }),
    );
  });

  it('returns the same object if nothing changes', () => {
    fc.assert(
      fc.property(profile, changes, (before, all) => {
        const after = attempt(before, all);
        const same = JSON.stringify(after) === JSON.stringify(before);
        if (after && same) expect(after).toBe(before);
      }),
    );
    const before = readUser({ userName: 'a', title: 't' });
    const withoutEffect = read([
      { op: 'add', path: 'nickName', value: 'n' },
      { op: 'remove', path: 'nickName' },
      { op: 'replace', path: 'title', value: 't' },
    ]);
    expect(applyChanges(before, withoutEffect)).toBe(before);
  });

  it('is deterministic', () => {
    fc.assert(
      fc.property(profile, changes, (before, all) => {
        expect(attempt(before, all)).toEqual(attempt(before, all));
      }),
    );
  });

  it('is idempotent for a single change that does not leave its selection', () => {
    fc.assert(
      fc.property(profile, changes, (before, [first]) => {
        const once = first && attempt(before, [first]);
        if (once && !leavesItsSelection(first)) expect(attempt(once, [first])).toEqual(once);
      }),
      { numRuns: propertyRuns(1000) },
    );
  });

  it('adds nothing when a change that left its selection is repeated', () => {
    const before = readUser({ userName: 'a', emails: [{ value: 'a@example.com', type: 'work' }] });
    const move = read([{ op: 'add', path: 'emails[type eq "work"]', value: { type: 'home' } }]);
    const once = applyChanges(before, move);
    expect(once.emails).toEqual([{ value: 'a@example.com', type: 'home' }]);
    expect(applyChanges(once, move)).toBe(once);
  });

  it.each<[string, JsonValue]>([
    ['title', 'x'],
    ['name', { givenName: 'x', familyName: 'y' }],
    ['phoneNumbers', [{ value: '+1', type: 'x' }]],
    [ENTERPRISE.urn, { department: 'x', manager: { value: 'm' } }],
  ])('restores the profile after %s is added and removed', (path, value) => {
    fc.assert(
      fc.property(profile, (drawn) => {
        const before = applyChanges(drawn, read([{ op: 'remove', path }]));
        const added = applyChanges(before, read([{ op: 'add', path, value }]));
        expect(added).not.toEqual(before);
        expect(applyChanges(added, read([{ op: 'remove', path }]))).toEqual(before);
      }),
    );
  });

  it('keeps one primary if two added elements are merged (seed -361262225)', () => {
    const before = { userName: 'a', active: true, emails: [{ display: 'd', primary: true }] };
    const value = [
      { value: 'a@example.com', type: 'Work', display: 'one', primary: true },
      { value: 'a@example.com', type: 'work', display: 'two' },
    ];
    expect(applyChanges(before, read([{ op: 'add', path: 'emails', value }])).emails).toEqual([
      { display: 'd', primary: false },
      { value: 'a@example.com', type: 'work', display: 'two', primary: true },
    ]);
  });

  it('changes nothing if an existing element is added in another case with primary false (seed 1417367992)', () => {
    const before = readUser({ userName: 'a', addresses: [{ type: 'A', primary: true }] });
    const value = [{ type: 'a', primary: false }];
    expect(applyChanges(before, read([{ op: 'add', path: 'addresses', value }]))).toBe(before);
  });

  it('keeps at most one primary e-mail', () => {
    fc.assert(
      fc.property(profile, changes, (before, all) => {
        const emails = attempt(before, all)?.emails ?? [];
        expect(emails.filter(({ primary }) => primary).length).toBeLessThanOrEqual(1);
      }),
    );
  });

  const full = readUser({
    userName: 'a',
    emails: Array.from({ length: 100 }, (_, at) => ({ value: `${at}@example.com`, type: 'work' })),
  });

  it.each<[string, number, (at: number) => object]>([
    [
      'filters',
      100,
      (at) => ({ op: 'replace', path: `emails[value eq "${at}@example.com"].display`, value: 'x' }),
    ],
    [
      'removes of lists',
      5,
      () => ({ op: 'remove', path: 'emails', value: Array<JsonValue>(100).fill({ value: 'x' }) }),
    ],
    [
      'adds of existing elements',
      500,
      () => ({ op: 'add', path: 'emails', value: ['99@EXAMPLE.com'] }),
    ],
  ])('is fast for many %s', async (_what, count, make) => {
    const many = read(Array.from({ length: count }, (_, at) => make(at)));
    await expectQuick(() => applyChanges(full, many));
  });

  it('quickly refuses operations that would add more than 100 values', async () => {
    const more = Array.from({ length: 300 }, (_, at) => `new${at}@example.com`);
    const grow = read(more.map((value) => ({ op: 'add', path: 'emails', value: [{ value }] })));
    await expectQuick(() => expect(attempt(full, grow)).toBeUndefined());
  });
});
