import { describe, expect, it } from 'vitest';
import { createForeground, createTenantActivity } from '../../src/pipeline/intake/take-batch.js';

describe('otherTenantsActive', () => {
  /** Its result for each of these batches: tenant, and time in milliseconds. */
  const activityOf = (...batches: readonly (readonly [tenant: string, at: number])[]) => {
    let time = 0;
    const activity = createTenantActivity(() => time);
    return batches.map(([tenant, at]) => {
      time = at;
      return activity.otherTenantsActive(tenant);
    });
  };

  it('is false for the only tenant', () => {
    expect(activityOf(['a', 0], ['a', 1], ['a', 5_000])).toEqual([false, false, false]);
  });

  it('is true from the first batch of another tenant until a second after its last', () => {
    expect(activityOf(['a', 0], ['b', 10], ['a', 20], ['a', 1_010], ['a', 1_011])).toEqual([
      false,
      true,
      true,
      true,
      false,
    ]);
  });

  it('stays true for two tenants that alternate', () => {
    expect(activityOf(['a', 0], ['b', 900], ['a', 1_800], ['b', 2_700])).toEqual([
      false,
      true,
      true,
      true,
    ]);
  });
});

describe('isBesideBackground', () => {
  /** Its result for each of these batches: time, commands of connectors, other commands. */
  const foregroundOf = (...batches: readonly (readonly [number, number, number])[]) => {
    let time = 0;
    const { isBesideBackground } = createForeground(() => time);
    return batches.map(([at, background, others]) => {
      time = at;
      return isBesideBackground('a', background, others);
    });
  };

  it('is false for connectors alone and for everybody else alone', () => {
    expect(foregroundOf([0, 200, 0], [5_000, 0, 1], [9_000, 200, 0])).toEqual([
      false,
      false,
      false,
    ]);
  });

  it('is true for a second after another command came while a connector is at work', () => {
    expect(
      foregroundOf([0, 200, 0], [10, 0, 1], [20, 200, 0], [1_010, 200, 0], [1_011, 200, 0]),
    ).toEqual([false, false, true, true, false]);
  });
});
