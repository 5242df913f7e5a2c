import { padEnd } from '../../src/cli/terminal-text.js';
import type { DemoResult } from './check-result.js';
import type { Output } from './output.js';

const NAMES_PER_LINE = 3;

/** `user.created ×5` for each name, in the order of the log. */
const countNames = (events: readonly string[]): readonly string[] => {
  const counts = new Map<string, number>();
  for (const event of events) counts.set(event, (counts.get(event) ?? 0) + 1);
  return [...counts].map(([event, count]) => (count === 1 ? event : `${event} ×${count}`));
};

export const printSummary = (result: DemoResult, seconds: string, output: Output): void => {
  const { green, red, dim } = output.paint;
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
  output.line();
  for (const problem of result.problems) output.problem(problem);
  const isPassed = result.problems.length === 0;
  output.line(isPassed ? green('✔ Demo passed.') : red('✘ Demo failed.'));
};
