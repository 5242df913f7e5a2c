/** A check of an external suite that we fail on purpose, and why. */
export interface KnownFailure {
  readonly suite: string;
  /** A piece of the line in which the suite tells of it. */
  readonly line: string;
  readonly why: string;
}

const ERROR_BODIES =
  'Every error carries `error` (interface.md, Errors) and `request_id` beside the attributes of ' +
  'RFC 7644, 3.12. The RFC forbids no further ones; the models of the tester do.';

/** All of them; docs/conformance.md has each, and a test sees to it. */
export const KNOWN_FAILURES: readonly KnownFailure[] = [
  { suite: 'scim2-tester', line: 'access_invalid_resource_type', why: ERROR_BODIES },
  { suite: 'scim2-tester', line: 'access_invalid_schema', why: ERROR_BODIES },
  { suite: 'scim2-tester', line: 'random_url', why: ERROR_BODIES },
  { suite: 'scim2-tester', line: 'object_deletion', why: ERROR_BODIES },
];
