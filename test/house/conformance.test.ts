import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  KNOWN_FAILURES,
  TENANT_KINDS,
  type TenantKind,
} from '../../tools/conformance/known-failures.js';

const page = readFileSync(new URL('../../docs/conformance.md', import.meta.url), 'utf8');

const wordFor = (tenants: readonly TenantKind[]): string =>
  tenants.length === Object.keys(TENANT_KINDS).length ? 'both' : tenants.join(', ');

describe('docs/conformance.md', () => {
  it.each(KNOWN_FAILURES.map(({ suite, line, tenants }) => [suite, line, tenants] as const))(
    'explains why %s fails %s, and for which tenants',
    (suite, line, tenants) => {
      const row = page
        .split('\n')
        .find((each) => each.startsWith('|') && each.includes(`\`${line}\``));
      expect(row).toMatch(new RegExp(`\\| ${suite} +\\| ${wordFor(tenants)} +\\|`));
    },
  );
});
