import type { ConfigProblem } from '../../../config/config-error.js';
import { type Check, fail, ok } from '../check-result.js';

/** The settings are valid, including the secrets they refer to. */
export const checkConfiguration: Check = ({ problems }) => {
  if (problems.length === 0) return ok('The settings are valid.');
  const count = problems.length === 1 ? '1 error' : `${problems.length} errors`;
  return fail(
    `The settings have ${count}: ${withFullStop(problems.map(lineOf).join('; '))}`,
    'Correct them; the gateway does not start until then.',
    { problems },
  );
};

const lineOf = ({ place, key, message }: ConfigProblem): string =>
  [place, key, message].filter((part) => part !== '').join(': ');

/** Suggestions end with a question mark. */
const withFullStop = (text: string): string => (text.endsWith('?') ? text : `${text}.`);
