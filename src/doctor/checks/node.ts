import { NODE_RANGE, VERSION } from '../../process/program.js';
import { type Check, fail, ok } from '../check-result.js';
import { isInRange } from '../version-range.js';

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
