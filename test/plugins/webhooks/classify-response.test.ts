import { describe, expect, it } from 'vitest';
import { classifyResponse } from '../../../src/plugin/api.js';
import type { OutboundResponse } from '../../../src/plugin/contract/http-sender.js';

const NOW = new Date('2026-11-21T09:00:00.000Z');
type Fault = Extract<OutboundResponse, { kind: 'unreachable' }>['fault'];

const judge = (status: number, headers: Record<string, string> = {}) =>
  classifyResponse({ kind: 'responded', status, headers, body: '', durationMs: 1 }, NOW);
const judgeFault = (fault: Fault) =>
  classifyResponse({ kind: 'unreachable', fault, message: 'Why.', durationMs: 1 }, NOW);

describe('an answer', () => {
  it.each([200, 201, 202, 204, 299])('of %i is a success', (status) => {
    expect(judge(status)).toEqual({ kind: 'delivered' });
  });

  it.each([300, 301, 302, 307, 308, 304, 400, 401, 404, 409, 500, 502, 503, 599])(
    'of %i is a failure to try again',
    (status) => {
      expect(judge(status)).toEqual({
        kind: 'failed',
        retry: true,
        reason: `The receiver responded with ${status}.`,
      });
    },
  );

  it('of 410 ends the delivery', () => {
    expect(judge(410, { 'retry-after': '5' })).toEqual({
      kind: 'failed',
      retry: false,
      reason: 'The receiver responded with 410.',
    });
  });

  it.each([
    ['7', 7_000],
    [' 120 ', 120_000],
    ['0', 0],
    ['1000000000', 86_400_000],
    ['99999999999', 86_400_000],
    ['Sat, 21 Nov 2026 09:01:00 GMT', 60_000],
  ])('asks by Retry-After "%s" for a wait', (header, waitMs) => {
    expect(judge(503, { 'retry-after': header })).toMatchObject({ retry: true, waitMs });
    expect(judge(429, { 'retry-after': header })).toMatchObject({ waitMs });
  });

  it.each(['soon', '-5', '1.5', '', 'Sat, 21 Nov 2026 08:59:00 GMT'])(
    'asks for nothing by Retry-After "%s"',
    (header) => {
      expect(judge(503, { 'retry-after': header })).not.toHaveProperty('waitMs');
    },
  );

  it('of 429 gives the receiver longer', () => {
    expect(judge(429)).toMatchObject({ retry: true, waitMs: 60_000 });
  });
});

describe('no answer', () => {
  it.each(['dns', 'connect', 'tls', 'broken'] as const)(
    'because of %s is a failure to try again',
    (fault) => {
      expect(judgeFault(fault)).toEqual({ kind: 'failed', retry: true, reason: 'Why.' });
    },
  );

  it('in time gives the receiver longer', () => {
    expect(judgeFault('timeout')).toEqual({
      kind: 'failed',
      retry: true,
      reason: 'Why.',
      waitMs: 60_000,
    });
  });

  it.each(['blocked', 'url'] as const)('because of %s ends the delivery', (fault) => {
    expect(judgeFault(fault)).toEqual({ kind: 'failed', retry: false, reason: 'Why.' });
  });
});
