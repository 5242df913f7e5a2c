/** The settings under which every suite runs: those of a new tenant, and RFC error bodies only. */
export const TENANT_KINDS = {
  default: {},
  strict: { scim: { strict_errors: true } },
} as const;

export type TenantKind = keyof typeof TENANT_KINDS;

/** A check of an external suite that fails on purpose, and why. */
export interface KnownFailure {
  readonly suite: string;
  /** The tenants in which it fails. */
  readonly tenants: readonly TenantKind[];
  /** A piece of the line in which the suite tells of it. */
  readonly line: string;
  readonly why: string;
}

const BOTH: readonly TenantKind[] = ['default', 'strict'];

const ERROR_BODIES =
  'Every error carries `error` (interface.md, Errors) and `request_id` beside the attributes of ' +
  'RFC 7644, 3.12. The RFC forbids no further ones; the models of the tester do. A tenant with ' +
  '`scim.strict_errors` has the attributes of the RFC alone.';

const MEMBER_NAME =
  "It looks for the name that it gave a member. A member is a user, and the name is the user's own.";

const NO_CONTENT =
  'PATCH of a group answers 204 without `attributes` (RFC 7644, 3.5.2 allows it, Microsoft asks ' +
  'for it, and a group may have 100,000 members).';

const UNKNOWN_MEMBER =
  'It adds a member whom it made up. An unknown member is refused, never passed over without a word.';

const SAME_EMAIL =
  'It gives several users one e-mail address, which is a conflict (interface.md, Errors).';

const FOLLOWS = 'It follows from that: the user whom it asks for could not be made.';

const UNQUOTED = 'Its filter has a text without quotes, which RFC 7644, 3.4.2.2 has not.';

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

/** All of them; docs/conformance.md has each, and a test sees to it. */
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
