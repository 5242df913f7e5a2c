import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonObject, type JsonValue } from '../../../src/domain/json.js';
import type { PatchOperation } from '../../../src/domain/patch-operation.js';
import { RefusalError } from '../../../src/domain/refusals.js';
import type { UserProfile } from '../../../src/domain/user.js';
import { applyUserPatch } from '../../../src/scim/patch/apply-patch.js';
import { readPatch } from '../../../src/scim/patch/read-patch.js';
import { readUser } from '../../../src/scim/read-user.js';
import { ENTERPRISE, USER } from '../../../src/scim/user-schema.js';
import { userBody, word } from '../arbitraries.js';
import { expectQuick } from '../quick.js';

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

/** Operations that can be read; a draw of others is not taken. */
const operations: fc.Arbitrary<readonly PatchOperation[]> = fc
  .array(operation, { minLength: 1, maxLength: 5 })
  .map((Operations) => {
    try {
      return readPatch(USER, { Operations }, 'id');
    } catch {
      return [];
    }
  })
  .filter((read) => read.length > 0);

const freeze = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(freeze);
  }
  return value;
};

/** What a patch comes to; undefined where it is refused. */
const attempt = (before: UserProfile, all: readonly PatchOperation[]): UserProfile | undefined => {
  try {
    return applyUserPatch(before, all);
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
 * Whether an operation takes what it changes out of its own selection: `emails[type eq "a"]` given
 * another type selects others, or none, the next time (RFC 7644, 3.5.2), so it may do more then.
 */
const leavesItsSelection = ({ path = '', value }: PatchOperation): boolean =>
  path.endsWith(']') && isJsonObject(value) && 'type' in value;

describe('a patched profile', () => {
  it('is what a PUT of it would store: no PATCH gets past the rules of the schema', () => {
    fc.assert(
      fc.property(profile, operations, (before, all) => {
        const after = attempt(before, all);
        if (after) expect(readUser(bodyOf(after))).toEqual(after);
      }),
      { numRuns: 1000 },
    );
  });

  it('leaves the one before, and the operations, as they were', () => {
    fc.assert(
      fc.property(profile, operations, (before, all) => {
        const copies = structuredClone([before, all]);
        attempt(freeze(before), freeze(all));
        expect([before, all]).toEqual(copies);
      }),
    );
  });

  it('is the same object where nothing changed', () => {
    fc.assert(
      fc.property(profile, operations, (before, all) => {
        const after = attempt(before, all);
        const same = JSON.stringify(after) === JSON.stringify(before);
        if (after && same) expect(after).toBe(before);
      }),
    );
    const before = readUser({ userName: 'a', title: 't' });
    const there = [
      { op: 'add', path: 'nickName', value: 'n' },
      { op: 'remove', path: 'nickName' },
      { op: 'replace', path: 'title', value: 't' },
    ] as const;
    expect(applyUserPatch(before, there)).toBe(before);
  });

  it('is the same when a command is decided again', () => {
    fc.assert(
      fc.property(profile, operations, (before, all) => {
        expect(attempt(before, all)).toEqual(attempt(before, all));
      }),
    );
  });

  it('has each value that one operation gave it, and does not change by the same again', () => {
    fc.assert(
      fc.property(profile, operations, (before, [first]) => {
        const once = first && attempt(before, [first]);
        if (once && !leavesItsSelection(first)) expect(attempt(once, [first])).toEqual(once);
      }),
      { numRuns: 1000 },
    );
  });

  it('has nothing more by an operation that takes an element out of its own selection', () => {
    const before = readUser({ userName: 'a', emails: [{ value: 'a@example.com', type: 'work' }] });
    const move = [{ op: 'add', path: 'emails[type eq "work"]', value: { type: 'home' } }] as const;
    const once = applyUserPatch(before, move);
    expect(once.emails).toEqual([{ value: 'a@example.com', type: 'home' }]);
    expect(applyUserPatch(once, move)).toBe(once);
  });

  it.each<[string, JsonValue]>([
    ['title', 'x'],
    ['name', { givenName: 'x', familyName: 'y' }],
    ['phoneNumbers', [{ value: '+1', type: 'x' }]],
    [ENTERPRISE.urn, { department: 'x', manager: { value: 'm' } }],
  ])('is as before once %s is added and removed', (path, value) => {
    fc.assert(
      fc.property(profile, (drawn) => {
        const before = applyUserPatch(drawn, [{ op: 'remove', path }]);
        const added = applyUserPatch(before, [{ op: 'add', path, value }]);
        expect(added).not.toEqual(before);
        expect(applyUserPatch(added, [{ op: 'remove', path }])).toEqual(before);
      }),
    );
  });

  it('has one primary where the new one is merged with another new one (seed -361262225)', () => {
    const before = readUser({ userName: 'a', emails: [{ display: 'd', primary: true }] });
    const value = [
      { value: 'a@example.com', type: 'Work', display: 'one', primary: true },
      { value: 'a@example.com', type: 'work', display: 'two' },
    ];
    expect(applyUserPatch(before, [{ op: 'add', path: 'emails', value }]).emails).toEqual([
      { display: 'd', primary: false },
      { value: 'a@example.com', type: 'work', display: 'two', primary: true },
    ]);
  });

  it('stays where the same is added as not primary, in other letters (seed 1417367992)', () => {
    const before = readUser({ userName: 'a', addresses: [{ type: 'A', primary: true }] });
    const value = [{ type: 'a', primary: false }];
    expect(applyUserPatch(before, [{ op: 'add', path: 'addresses', value }])).toBe(before);
  });

  it('keeps one primary at most in every list', () => {
    fc.assert(
      fc.property(profile, operations, (before, all) => {
        const emails = attempt(before, all)?.emails ?? [];
        expect(emails.filter(({ primary }) => primary).length).toBeLessThanOrEqual(1);
      }),
    );
  });

  const full = readUser({
    userName: 'a',
    emails: Array.from({ length: 100 }, (_, at) => ({ value: `${at}@example.com`, type: 'work' })),
  });

  it.each<[string, number, (at: number) => PatchOperation]>([
    [
      'selections',
      100,
      (at) => ({ op: 'replace', path: `emails[value eq "${at}@example.com"].display`, value: 'x' }),
    ],
    [
      'lists to remove',
      5,
      () => ({ op: 'remove', path: 'emails', value: Array<JsonValue>(100).fill({ value: 'x' }) }),
    ],
    [
      'elements that are there',
      500,
      () => ({ op: 'add', path: 'emails', value: ['99@EXAMPLE.com'] }),
    ],
  ])('is there at once, however many %s there are', (_what, count, make) => {
    const many = Array.from({ length: count }, (_, at) => make(at));
    expectQuick(() => void applyUserPatch(full, many));
  });

  it('does not grow past 100 values in a list on the way', () => {
    const more = Array.from({ length: 300 }, (_, at) => `new${at}@example.com`);
    const grow = more.map((value) => ({ op: 'add', path: 'emails', value: [{ value }] }) as const);
    expectQuick(() => expect(attempt(full, grow)).toBeUndefined());
  });
});
