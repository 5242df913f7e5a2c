import { NODE_RANGE, VERSION } from '../../version.js';
import { type Check, fail, ok } from '../verdict.js';
import { isInRange } from '../version-range.js';

/** Node.js is one that this release is made for (package.json, engines). */
export const checkNode: Check = ({ nodeVersion }) => {
  const details = { node: nodeVersion, needed: NODE_RANGE, rollgate: VERSION };
  if (isInRange(nodeVersion, NODE_RANGE))
    return ok(`Node.js ${nodeVersion} runs Rollgate ${VERSION}.`, details);
  return fail(
    `Node.js ${nodeVersion} is not one that Rollgate ${VERSION} is made for (${NODE_RANGE}).`,
    'Install a version of that range.',
    details,
  );
};
