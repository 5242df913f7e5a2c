import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  type CallFrame,
  type CpuProfile,
  selfTimes,
} from '../../tools/bench/profile/cpu-profile.js';
import { formatProfile } from '../../tools/bench/profile/format-profile.js';
import { frameLocations } from '../../tools/bench/profile/frame-locations.js';
import { summariseProfile } from '../../tools/bench/profile/summarise-profile.js';

const ROOT = '/repository';

const frame = (functionName: string, path = '', line = 0): CallFrame => ({
  functionName,
  url: path === '' || path.startsWith('node:') ? path : pathToFileURL(`${ROOT}/${path}`).href,
  lineNumber: line,
  columnNumber: 0,
});

/** root → handle → parse, and handle → handle → writev; idle time and garbage collection. */
const profile: CpuProfile = {
  startTime: 1_000,
  nodes: [
    { id: 1, callFrame: frame('(root)'), children: [2, 6, 7] },
    { id: 2, callFrame: frame('handle', 'src/http/app.js', 9), children: [3, 4] },
    { id: 3, callFrame: frame('', 'node_modules/@scope/parser/lib/parse.js', 41) },
    { id: 4, callFrame: frame('handle', 'src/http/app.js', 9), children: [5] },
    { id: 5, callFrame: frame('writev', 'node:internal/net', 99) },
    { id: 6, callFrame: frame('(idle)') },
    { id: 7, callFrame: frame('(garbage collector)') },
  ],
  samples: [2, 3, 6, 5, 7, 2],
  timeDeltas: [100, 1_000, 2_000, 3_000, 4_000, 5_000],
};

const everything = { from: 0, to: 1_000_000 };

const summary = summariseProfile(profile, {
  window: everything,
  locationOf: frameLocations(ROOT),
  isOwn: ({ file }) => file.startsWith('src/'),
});

describe('a CPU profile', () => {
  it('counts the time from each sample to the next', () => {
    expect([...selfTimes(profile, everything)]).toEqual([
      [2, 1_000],
      [3, 2_000],
      [6, 3_000],
      [5, 4_000],
      [7, 5_000],
    ]);
  });

  it('is limited to the window', () => {
    // The samples are at 1,100, 2,100, 4,100, 7,100, 11,100 and 16,100.
    expect([...selfTimes(profile, { from: 2_000, to: 8_000 }).keys()]).toEqual([3, 6, 5]);
  });

  it('counts as busy while it is not idle', () => {
    expect(summary.busyMs).toBe(12);
  });

  it('is grouped by folder, package and part of Node.js', () => {
    expect(summary.areas.map(({ name, ms }) => [name, ms])).toEqual([
      ['(garbage collector)', 5],
      ['node:internal/net', 4],
      ['@scope/parser', 2],
      ['src/http', 1],
    ]);
  });

  it('shows functions with one-based line numbers', () => {
    expect(summary.functions).toContainEqual({
      name: '(anonymous)',
      file: '@scope/parser/lib/parse.js:42',
      ms: 2,
    });
  });

  it('counts the total time of own functions, once if they are recursive', () => {
    expect(summary.inclusive).toEqual([{ name: 'handle', file: 'src/http/app.js:10', ms: 7 }]);
  });

  it('is printed in shares and in microseconds of CPU time', () => {
    const [text] = formatProfile(summary, { requests: 100, cpuMs: 6 }).split(
      'Functions by self time',
    );
    expect(text).toContain('100 requests, 0.060 ms CPU of the main thread per request');
    expect(text).toMatch(/^41\.7 +25\.0 {2}\(garbage collector\)$/m);
  });
});
