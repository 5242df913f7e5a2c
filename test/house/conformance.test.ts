import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { KNOWN_FAILURES } from '../../scripts/conformance/known-failures.js';

const page = readFileSync(new URL('../../docs/conformance.md', import.meta.url), 'utf8');

describe('the page on conformance', () => {
  it.each(KNOWN_FAILURES.map(({ suite, line }) => [suite, line] as const))(
    'gives the reason why %s does not pass %s',
    (suite, line) => {
      const row = page
        .split('\n')
        .find((each) => each.startsWith('|') && each.includes(`\`${line}\``));
      expect(row).toContain(suite);
    },
  );
});
