import { describe, expect, it } from 'vitest';
import { cpuTicksIn, memoryIn } from '../../tools/shared/process-usage.js';

describe('the usage of a process', () => {
  it('is read after the process name, which may contain spaces and brackets', () => {
    const stat = '42 (node (main) 7) S 1 42 42 0 -1 4194560 100 0 0 0 250 50 9 9 20 0 11 0 123 456';
    expect(cpuTicksIn(stat)).toBe(300);
  });

  it('gives memory in megabytes', () => {
    const status = 'Name:\tnode\nVmHWM:\t  204800 kB\nVmRSS:\t  102400 kB\n';
    expect(memoryIn(status)).toEqual({ rssMb: 100, peakMb: 200 });
  });
});
