import type { ConfigProblem } from '../../../config/config-error.js';
import { type Check, fail, ok, warn } from '../check-result.js';

/** The settings are valid, including the secrets they refer to. */
export const checkConfiguration: Check = ({ problems, connectorProblems = [], warnings = [] }) => {
  if (problems.length === 0 && connectorProblems.length > 0)
    return warn(
      `The settings of connectors have ${countOf(connectorProblems)}: ${listOf(connectorProblems)}`,
      'Correct them; until then the gateway runs without these connectors.',
      { problems: connectorProblems },
    );
  if (problems.length === 0 && warnings.length > 0)
    return warn(
      `The settings are valid, but: ${listOf(warnings)}`,
      'Move secrets to files or environment variables that only the gateway can read.',
      { problems: warnings },
    );
  if (problems.length === 0) return ok('The settings are valid.');
  return fail(
    `The settings have ${countOf(problems)}: ${listOf(problems)}`,
    'Correct them; the gateway does not start until then.',
    { problems },
  );
};

const countOf = ({ length }: readonly ConfigProblem[]): string =>
  length === 1 ? '1 error' : `${length} errors`;

const listOf = (problems: readonly ConfigProblem[]): string =>
  withFullStop(problems.map(lineOf).join('; '));

const lineOf = ({ place, key, message }: ConfigProblem): string =>
  [place, key, message].filter((part) => part !== '').join(': ');

/** Suggestions end with a question mark. */
const withFullStop = (text: string): string => (text.endsWith('?') ? text : `${text}.`);
