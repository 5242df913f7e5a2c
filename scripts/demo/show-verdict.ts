import { padEnd } from '../../src/cli/display-width.js';
import type { Stage } from './stage.js';
import type { Verdict } from './verdict.js';

/** `user.created ×5` for each name, in the order in which they first came. */
const countNames = (events: readonly string[]): readonly string[] => {
  const counts = new Map<string, number>();
  for (const event of events) counts.set(event, (counts.get(event) ?? 0) + 1);
  return [...counts].map(([event, count]) => (count === 1 ? event : `${event} ×${count}`));
};

export const showVerdict = (verdict: Verdict, seconds: string, stage: Stage): void => {
  const { green, red, dim } = stage.paint;
  const isWell = verdict.problems.length === 0;
  const row = (name: string, value: string | number, what = ''): void =>
    stage.line(`  ${padEnd(name, 20)} ${padEnd(String(value), 9)} ${dim(what)}`);
  stage.chapter('Summary', `of ${seconds} s`);
  row('requests sent', verdict.requests, 'each answered as expected');
  row('events in the log', verdict.lastSeq, `seq 1 to ${verdict.events.length}, received in order`);
  for (const line of inLines(countNames(verdict.events))) row('', '', line);
  row('webhooks received', `${verdict.received} of ${verdict.expected}`, 'events and one test');
  row('signatures verified', `${verdict.verified} of ${verdict.received}`, WHAT_VERIFIED);
  row(
    'event to receiver',
    `${verdict.p50Ms} ms`,
    `p50, the commit included; slowest ${verdict.slowestMs} ms`,
  );
  stage.line();
  for (const problem of verdict.problems) stage.problem(problem);
  stage.line(isWell ? green('✔ All as it should be.') : red('✘ Not all is as it should be.'));
};

const WHAT_VERIFIED = 'HMAC-SHA256 by node:crypto, and standardwebhooks';

const NAMES_A_LINE = 3;

const inLines = (names: readonly string[]): readonly string[] =>
  names.length === 0
    ? []
    : [names.slice(0, NAMES_A_LINE).join(', '), ...inLines(names.slice(NAMES_A_LINE))];
