import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkNode, isInRange } from '../../src/doctor/checks/machine.js';
import { runCheck } from '../support/doctor.js';

const RANGE = '>=20.19 <21 || >=22.12';

describe('a version range', () => {
  it.each([
    ['20.19.0', true],
    ['20.20.2', true],
    ['20.18.3', false],
    ['21.0.0', false],
    ['22.11.9', false],
    ['22.12.0', true],
    ['24.1.0', true],
    ['9.99.99', false],
    ['22.12.0-nightly20260101', true],
  ])('contains %s: %s', (version, isIn) => {
    expect(isInRange(version, RANGE)).toBe(isIn);
  });

  it('compares numbers, not text', () => {
    const version = fc.tuple(fc.nat(120), fc.nat(120), fc.nat(120));
    const weight = ([major, minor, patch]: readonly number[]) =>
      (major! * 1_000 + minor!) * 1_000 + patch!;
    fc.assert(
      fc.property(version, version, version, (one, low, high) => {
        const range = `>=${low.join('.')} <${high.join('.')}`;
        const isIn = weight(one) >= weight(low) && weight(one) < weight(high);
        expect(isInRange(one.join('.'), range)).toBe(isIn);
      }),
    );
  });

  it('refuses unsupported syntax', () => {
    expect(() => isInRange('20.0.0', '^20.1.0')).toThrow('Unsupported version bound "^20.1.0"');
  });
});

describe('the check "node"', () => {
  it('passes with the version that runs the tests', async () => {
    expect(await runCheck(checkNode)).toMatchObject({ status: 'OK' });
  });

  it.each(['18.20.4', '21.7.3', '22.3.0'])('fails for %s', async (nodeVersion) => {
    const { status, message, remedy } = await runCheck(checkNode, { nodeVersion });
    expect(status).toBe('FAIL');
    expect(message).toContain(nodeVersion);
    expect(message).toContain(RANGE);
    expect(remedy).toBeDefined();
  });
});
