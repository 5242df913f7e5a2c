import { NODE_RANGE, VERSION } from '../../process/program.js';
import { type Check, fail, ok, type CheckResult, warn } from '../check.js';
import {
  EMBEDDED_OPEN_FILES,
  GATEWAY_OPEN_FILES,
  RAISE_OPEN_FILES,
} from '../../process/open-files.js';

/**
 * `>=20.19 <21 || >=22.12`: the part of npm's range syntax that package.json uses.
 *
 * @internal
 */
export const isInRange = (version: string, range: string): boolean =>
  range.split('||').some((alternative) =>
    alternative
      .trim()
      .split(/\s+/)
      .every((bound) => holds(version, bound)),
  );

const BOUND = /^(>=|<)(\d+(?:\.\d+){0,2})$/;

const holds = (version: string, bound: string): boolean => {
  const [, operator, limit] = BOUND.exec(bound) ?? [];
  if (operator === undefined || limit === undefined)
    throw new Error(`Unsupported version bound "${bound}"`);
  const difference = compare(version, limit);
  return operator === '>=' ? difference >= 0 : difference < 0;
};

const compare = (one: string, other: string): number => {
  const [left, right] = [numbersOf(one), numbersOf(other)];
  const place = [0, 1, 2].find((index) => left[index] !== right[index]);
  return place === undefined ? 0 : (left[place] ?? 0) - (right[place] ?? 0);
};

/** A pre-release counts as its release. */
const numbersOf = (version: string): readonly number[] => {
  const [release = ''] = version.split('-', 1);
  return [...release.split('.').map(Number), 0, 0].slice(0, 3);
};

/** The Node.js version is supported (package.json, engines). */
export const checkNode: Check = ({ nodeVersion }) => {
  const details = { node: nodeVersion, needed: NODE_RANGE, rollgate: VERSION };
  if (isInRange(nodeVersion, NODE_RANGE))
    return ok(`Node.js ${nodeVersion} is supported by Rollgate ${VERSION}.`, details);
  return fail(
    `Node.js ${nodeVersion} is not supported by Rollgate ${VERSION} (${NODE_RANGE}).`,
    'Install a supported version.',
    details,
  );
};

/** Enough for a thousand clients with open connections. */
const COMFORTABLE_LIMIT = 4096;

/** The number of files and connections that a gateway can open is sufficient. */
export const checkOpenFiles =
  (readLimit: () => number): Check =>
  ({ isEmbedded }) =>
    evaluateLimit(readLimit(), isEmbedded());

const evaluateLimit = (limit: number, isEmbedded: boolean): CheckResult => {
  const details = { limit: Number.isFinite(limit) ? limit : null };
  const needed = isEmbedded ? EMBEDDED_OPEN_FILES : GATEWAY_OPEN_FILES;
  const remedy = `${RAISE_OPEN_FILES[0]?.toUpperCase()}${RAISE_OPEN_FILES.slice(1)}.`;
  if (limit < needed)
    return fail(`Open file limit: ${limit}. The gateway needs ${needed}.`, remedy, details);
  if (limit < COMFORTABLE_LIMIT)
    return warn(
      `Open file limit: ${limit}. This is low: each connection needs one.`,
      remedy,
      details,
    );
  return ok(`Open file limit: ${Number.isFinite(limit) ? limit : 'unlimited'}.`, details);
};
