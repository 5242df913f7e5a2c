import type { ConfigProblem } from '../../../config/config-error.js';
import { type Check, fail, ok } from '../verdict.js';

/** The settings are what a start would take, secrets that they refer to among them. */
export const checkConfiguration: Check = ({ problems }) => {
  if (problems.length === 0) return ok('The settings have no mistakes.');
  const count = problems.length === 1 ? 'a mistake' : `${problems.length} mistakes`;
  return fail(
    `The settings have ${count}: ${ended(problems.map(lineOf).join('; '))}`,
    'Correct what is named; a gateway does not start like this.',
    { problems },
  );
};

const lineOf = ({ place, key, message }: ConfigProblem): string =>
  [place, key, message].filter((part) => part !== '').join(': ');

/** A question to the reader has its mark already. */
const ended = (text: string): string => (text.endsWith('?') ? text : `${text}.`);
