import { beforeEach, describe, expect, it } from 'vitest';
import { type BusyMeter, createBusyMeter } from '../../src/pipeline/intake/intake.js';

let now: number;
let meter: BusyMeter;

beforeEach(() => {
  now = 0;
  meter = createBusyMeter(() => now);
});

/** Alternates work and idle time. Returns the share of cycles at whose end the meter shows busy. */
const workFor = (totalMs: number, { work, idle }: { work: number; idle: number }): number => {
  let [busy, cycles] = [0, 0];
  for (const end = now + totalMs; now < end; cycles += 1) {
    meter.setWorking(true);
    now += work;
    meter.setWorking(false);
    now += idle;
    if (meter.isBusy()) busy += 1;
  }
  return busy / cycles;
};

describe('the busy meter', () => {
  it('shows idle without work', () => {
    now = 10_000;
    expect(meter.isBusy()).toBe(false);
  });

  it('shows busy during long work, and idle soon after it', () => {
    meter.setWorking(true);
    now += 100;
    expect(meter.isBusy()).toBe(false);
    now += 100;
    expect(meter.isBusy()).toBe(true);
    now += 60_000;
    meter.setWorking(false);
    now += 150;
    expect(meter.isBusy()).toBe(true);
    now += 50;
    expect(meter.isBusy()).toBe(false);
  });

  it('shows busy between pieces of work that follow each other closely', () => {
    workFor(1_000, { work: 12, idle: 3 });
    expect(workFor(1_000, { work: 12, idle: 3 })).toBe(1);
  });

  it('shows idle between short pieces of occasional work', () => {
    workFor(1_000, { work: 8, idle: 42 });
    expect(workFor(1_000, { work: 8, idle: 42 })).toBe(0);
  });
});
