import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCOPES } from '../../src/domain/scopes.js';
import { createCleanup } from '../../tools/shared/cleanup.js';
import { type FuzzTarget, openFuzzTarget } from '../support/schemathesis/fuzz-document.js';
import { openSchemathesis } from '../support/schemathesis/schemathesis-program.js';
import { createTestDatabase } from '../support/database.js';

const BOUNDS = { seconds: 8, attempts: 5, seed: 1 };

const program = await openSchemathesis();
const { uri } = createTestDatabase();

describe.skipIf(program === undefined)('schemathesis finds nothing', () => {
  const cleanup = createCleanup();
  let target: FuzzTarget;
  beforeAll(async () => {
    target = await openFuzzTarget(program ?? '', uri, cleanup);
  });
  afterAll(cleanup.run);

  it.each([...SCOPES, 'webhooks', 'all scopes', 'admin token'])('with %s', async (name) => {
    const run = target.runs.find((each) => each.name === name)!;
    const { passed, output } = await target.fuzz(run, BOUNDS);
    expect(passed, output).toBe(true);
  });
});
