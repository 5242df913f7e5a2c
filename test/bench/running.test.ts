import { describe, expect, it } from 'vitest';
import { startCleanup } from '../../bench/cleanup.js';
import { cpuTicksIn, memoryIn } from '../../bench/contestants/process-usage.js';
import { turnsOf } from '../../bench/run/turns.js';
import { inFamilies, WORKLOADS } from '../../bench/workloads.js';

describe('the rounds of a benchmark', () => {
  it('begin with another contestant each time', () => {
    const rounds = [0, 1, 2, 3].map((round) => turnsOf(['a', 'b', 'c'], round).join(''));
    expect(rounds).toEqual(['abc', 'bca', 'cab', 'abc']);
  });

  it('are shared by workloads of one family, and by no others', () => {
    const families = inFamilies(WORKLOADS).map((family) => family.map(({ id }) => id).join());
    expect(families).toContain('W6-10,W6-10k');
    expect(families).toContain('W7-100,W7-1000');
    expect(families).toContain('W3');
    expect(families.join().split(',')).toEqual(WORKLOADS.map(({ id }) => id));
  });
});

describe('what a process has used', () => {
  it('is read behind its name, which may hold spaces and brackets', () => {
    const stat = '42 (node (main) 7) S 1 42 42 0 -1 4194560 100 0 0 0 250 50 9 9 20 0 11 0 123 456';
    expect(cpuTicksIn(stat)).toBe(300);
  });

  it('is told in megabytes', () => {
    const status = 'Name:\tnode\nVmHWM:\t  204800 kB\nVmRSS:\t  102400 kB\n';
    expect(memoryIn(status)).toEqual({ rssMb: 100, peakMb: 200 });
  });
});

describe('the cleaning up', () => {
  it('undoes the latest first, all of it though one cannot be undone, and only once', async () => {
    const told: string[] = [];
    const cleanup = startCleanup((line) => told.push(line));
    cleanup.add(() => void told.push('folder'));
    cleanup.add(() => Promise.reject(new Error('stuck')));
    cleanup.add(() => void told.push('server'));
    await Promise.all([cleanup.run(), cleanup.run()]);
    expect(told).toEqual(['server', 'Could not clean up: Error: stuck', 'folder']);
  });
});
