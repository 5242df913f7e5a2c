import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  CUSTOM_TYPES,
  type CustomAttribute,
  shownCustom,
  storedCustom,
} from '../../src/domain/tenant/custom-attributes.js';
import { RefusalError } from '../../src/domain/kernel/refusals.js';
import { userSchemaOf } from '../../src/scim/tenant-schema.js';
import { presentUser } from '../../src/scim/user-operations.js';
import { readUser } from '../../src/scim/read-user.js';
import { aTenant, aUser } from '../support/builders.js';
import { propertyRuns } from '../support/property-runs.js';

const NAMES = ['a', 'b', 'c', 'd'] as const;

const attribute = fc.record({
  name: fc.constantFrom(...NAMES),
  type: fc.constantFrom(...CUSTOM_TYPES),
  multiValued: fc.boolean(),
  required: fc.boolean(),
  caseExact: fc.boolean(),
  description: fc.constant(''),
  canonicalValues: fc.constant(null),
}) satisfies fc.Arbitrary<CustomAttribute>;

const declaration = fc.uniqueArray(attribute, { selector: ({ name }) => name, maxLength: 4 });

const single = fc.oneof(
  fc.constantFrom('x', 'X', 'É', '2026-01-31', '2026-01-31T12:00:00Z', 'True', ''),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
);

const values = fc.dictionary(
  fc.constantFrom(...NAMES, 'A'),
  fc.oneof(single, fc.array(single, { maxLength: 3 })),
);

const unlessRefused = <Result>(work: () => Result): Result | undefined => {
  try {
    return work();
  } catch (error) {
    if (error instanceof RefusalError) return undefined;
    throw error;
  }
};

describe('values of a declaration', () => {
  it('that are accepted are shown, and read again as they are', () => {
    let accepted = 0;
    fc.assert(
      fc.property(declaration, values, (customAttributes, given) => {
        const tenant = aTenant({ customAttributes });
        const schema = userSchemaOf(tenant);
        const urn = schema.extensions.at(-1)?.urn ?? '';
        const stored = unlessRefused(() =>
          storedCustom(
            customAttributes,
            readUser({ userName: 'u', [urn]: given }, schema).custom,
            {},
          ),
        );
        if (!stored) return;
        accepted += 1;
        expect(shownCustom(customAttributes, stored)).toBe(stored);
        expect(storedCustom(customAttributes, stored, stored)).toEqual(stored);
        const user = aUser(1, { custom: stored });
        const extension = { urn, attributes: customAttributes };
        const shown = presentUser(user, { base: '', defaultRole: 'member', extension });
        expect(shown[urn]).toEqual(stored);
        expect(readUser(shown, schema).custom).toEqual(stored);
      }),
      { numRuns: propertyRuns(2_000) },
    );
    expect(accepted).toBeGreaterThan(0);
  });

  it('of another declaration are hidden, and never shown with another type', () => {
    fc.assert(
      fc.property(declaration, declaration, values, (before, after, given) => {
        const stored = unlessRefused(() => storedCustom(before, given as never, {}));
        const shown = shownCustom(after, stored) ?? {};
        for (const [name, value] of Object.entries(shown)) {
          const now = after.find((each) => each.name === name);
          expect(Array.isArray(value)).toBe(now?.multiValued);
          expect(value).toEqual(stored?.[name]);
        }
        expect(storedCustom(after, stored, shown)).toEqual(shownCustom(after, stored));
      }),
      { numRuns: propertyRuns(2_000) },
    );
  });
});
