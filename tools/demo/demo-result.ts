import type { Delivery } from './webhook-inbox.js';
import { padEnd } from '../../src/cli/terminal-text.js';
import type { Output } from './output.js';

interface DemoRun {
  readonly requests: number;
  /** Events that the steps should have caused, in order. */
  readonly expected: readonly string[];
  readonly deliveries: readonly Delivery[];
  /** The last seq in the gateway's provisioning log. */
  readonly lastSeq: number;
}

interface DemoResult {
  readonly requests: number;
  /** The names of the events, by seq. */
  readonly events: readonly string[];
  readonly lastSeq: number;
  readonly expected: number;
  readonly received: number;
  readonly verified: number;
  readonly p50Ms: number;
  readonly maxMs: number;
  /** Empty if everything arrived as expected. */
  readonly problems: readonly string[];
}

/** Compares what arrived with what was expected and what the gateway logged. */
export const checkResult = ({ requests, expected, deliveries, lastSeq }: DemoRun): DemoResult => {
  const logged = deliveries
    .filter(({ seq }) => seq !== null)
    .toSorted((one, other) => Number(one.seq) - Number(other.seq));
  const times = deliveries.map(({ ms }) => ms).toSorted((one, other) => one - other);
  const verified = deliveries.filter(({ isVerified }) => isVerified).length;
  const names = deliveries.map(({ event }) => event);
  const checks: readonly (readonly [failed: boolean, problem: string])[] = [
    [deliveries.length < expected.length, 'Webhooks are missing.'],
    [deliveries.length > expected.length, 'More webhooks arrived than expected.'],
    [names.join() !== expected.join(), `Expected ${expected.join(', ')}; got ${names.join(', ')}.`],
    [verified < deliveries.length, 'A signature is wrong.'],
    [logged.some(({ seq }, index) => seq !== index + 1), 'The event sequence has a gap.'],
    [logged.length !== lastSeq, `The gateway's log ends at seq ${lastSeq}.`],
  ];
  return {
    requests,
    events: logged.map(({ event }) => event),
    lastSeq,
    expected: expected.length,
    received: deliveries.length,
    verified,
    p50Ms: times[Math.floor((times.length - 1) / 2)] ?? 0,
    maxMs: times.at(-1) ?? 0,
    problems: checks.flatMap(([failed, problem]) => (failed ? [problem] : [])),
  };
};

const NAMES_PER_LINE = 3;

/** `user.created ×5` for each name, in the order of the log. */
const countNames = (events: readonly string[]): readonly string[] => {
  const counts = new Map<string, number>();
  for (const event of events) counts.set(event, (counts.get(event) ?? 0) + 1);
  return [...counts].map(([event, count]) => (count === 1 ? event : `${event} ×${count}`));
};

export const printSummary = (result: DemoResult, seconds: string, output: Output): void => {
  const { dim } = output.paint;
  const { requests, events, lastSeq, received, expected, verified, p50Ms, maxMs } = result;
  const row = (name: string, value: string | number, note: string): void =>
    output.line(`  ${padEnd(name, 20)} ${padEnd(String(value), 9)} ${dim(note)}`);
  output.section('Summary', `${seconds} s`);
  row('requests sent', requests, 'all with the expected status');
  row('events in the log', lastSeq, `seq 1 to ${events.length}, without a gap`);
  const names = countNames(events);
  for (let from = 0; from < names.length; from += NAMES_PER_LINE)
    row('', '', names.slice(from, from + NAMES_PER_LINE).join(', '));
  row('webhooks received', `${received} of ${expected}`, 'the events and one test');
  row('signatures verified', `${verified} of ${received}`, 'by node:crypto and standardwebhooks');
  row('event to receiver', `${p50Ms} ms`, `p50, including the commit; max ${maxMs} ms`);
};
