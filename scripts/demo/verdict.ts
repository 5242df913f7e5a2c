import type { Delivered } from './mailbox.js';

/** What the day came to. */
export interface Verdict {
  readonly requests: number;
  /** The names of the events, in the order of their places in the log. */
  readonly events: readonly string[];
  /** The last place in the log by the gateway's own account. */
  readonly lastSeq: number;
  readonly expected: number;
  readonly received: number;
  readonly verified: number;
  readonly p50Ms: number;
  readonly slowestMs: number;
  /** What is not as it should be; empty: all is well. */
  readonly problems: readonly string[];
}

export interface Evidence {
  readonly requests: number;
  readonly expected: readonly string[];
  readonly delivered: readonly Delivered[];
  readonly lastSeq: number;
}

/** Judges by what arrived, against what was expected and what the gateway says it did. */
export const judge = ({ requests, expected, delivered, lastSeq }: Evidence): Verdict => {
  const logged = delivered
    .filter(({ seq }) => seq !== null)
    .toSorted((one, other) => Number(one.seq) - Number(other.seq));
  const times = delivered.map(({ ms }) => ms).toSorted((one, other) => one - other);
  const verified = delivered.filter(({ isVerified }) => isVerified).length;
  const hasGap = logged.some(({ seq }, index) => seq !== index + 1);
  const names = delivered.map(({ event }) => event);
  const findings: readonly (readonly [boolean, string])[] = [
    [delivered.length < expected.length, 'Webhooks are missing.'],
    [delivered.length > expected.length, 'More webhooks came than were expected.'],
    [
      names.join() !== expected.join(),
      `Expected ${expected.join(', ')}; came ${names.join(', ')}.`,
    ],
    [verified < delivered.length, 'A signature is wrong.'],
    [hasGap, 'The places in the log have a gap.'],
    [logged.length !== lastSeq, `The gateway's log ends at ${lastSeq}.`],
  ];
  return {
    requests,
    events: logged.map(({ event }) => event),
    lastSeq,
    expected: expected.length,
    received: delivered.length,
    verified,
    p50Ms: times[Math.floor((times.length - 1) / 2)] ?? 0,
    slowestMs: times.at(-1) ?? 0,
    problems: findings.flatMap(([isSo, problem]) => (isSo ? [problem] : [])),
  };
};
