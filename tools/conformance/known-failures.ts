/** The tenants that every suite runs in: with default settings, and with RFC error bodies. */
export const TENANT_KINDS = {
  default: {},
  strict: { scim: { strict_errors: true } },
} as const;

export type TenantKind = keyof typeof TENANT_KINDS;

/** A check of an external suite that is expected to fail, and why. */
export interface KnownFailure {
  readonly suite: string;
  /** The tenants in which it fails. */
  readonly tenants: readonly TenantKind[];
  /** A part of the line that the suite prints. */
  readonly line: string;
  readonly why: string;
}

const BOTH: readonly TenantKind[] = ['default', 'strict'];

const ERROR_BODIES =
  'Error bodies have `error` (interface.md, Errors) and `request_id` in addition to the attributes ' +
  'of RFC 7644, 3.12. The RFC allows further attributes; the models of the tester do not. A tenant ' +
  'with `scim.strict_errors` has the attributes of the RFC only.';

const MEMBER_NAME =
  'It expects the name that it gave a member. A member is a user and has the name of the user.';

const NO_CONTENT =
  'PATCH of a group without `attributes` returns 204 (RFC 7644, 3.5.2 allows it, Microsoft ' +
  'recommends it, and a group may have 100,000 members).';

const UNKNOWN_MEMBER =
  'It adds a member that does not exist. Unknown members are refused, not ignored.';

const SAME_EMAIL =
  'It gives several users the same e-mail address, which is a conflict (interface.md, Errors).';

const FOLLOWS = 'A consequence: the user that it reads was not created.';

const UNQUOTED = 'Its filter has a string without quotes, which RFC 7644, 3.4.2.2 requires.';

const entra = (why: string, ...lines: readonly string[]): readonly KnownFailure[] =>
  lines.map((line) => ({ suite: 'entra-postman', tenants: BOTH, line, why }));

const errorBodies = (...lines: readonly string[]): readonly KnownFailure[] =>
  lines.map((line) => ({
    suite: 'scim2-tester',
    tenants: ['default'],
    line,
    why: ERROR_BODIES,
  }));

const sanity = (why: string, ...lines: readonly string[]): readonly KnownFailure[] =>
  lines.map((line) => ({ suite: 'scim-sanity', tenants: BOTH, line, why }));

/** A test checks that docs/conformance.md lists each of them. */
export const KNOWN_FAILURES: readonly KnownFailure[] = [
  ...errorBodies(
    'access_invalid_resource_type',
    'access_invalid_schema',
    'random_url',
    'object_deletion',
  ),
  ...sanity(NO_CONTENT, 'Expected HTTP 200, got 204', 'PATCH /Groups/{id} remove members'),
  ...sanity(UNKNOWN_MEMBER, 'PATCH /Groups/{id} add member'),
  ...entra(UNKNOWN_MEMBER, 'Group patch add member'),
  ...entra(
    SAME_EMAIL,
    'Create user 4 for group 2',
    'Post emp2',
    'Post emp3',
    'Post enterprise user',
  ),
  ...entra(
    FOLLOWS,
    'Put replace group3',
    'Validate group 3',
    'Delete user id4',
    'Paginate',
    'get user attributes',
    'Delete user3 emp2',
    'Delete user4 emp3',
    'Delete enterprise user',
  ),
  ...entra(MEMBER_NAME, 'Get group by id'),
  ...entra(UNQUOTED, 'filter eq and (val or val)', 'filter starts with', 'filter greater than'),
];
