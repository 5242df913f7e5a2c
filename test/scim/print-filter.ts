import type { AttributeReference, Filter } from '../../src/domain/kernel/filter.js';
import { ENTERPRISE } from '../../src/scim/schemas.js';

/** The path as clients write it, with extensions by their URN. */
const printPath = ({ path: [first = '', ...rest] }: AttributeReference): string => {
  if (first !== ENTERPRISE.key) return [first, ...rest].join('.');
  return [ENTERPRISE.urn, ...(rest.length > 0 ? [rest.join('.')] : [])].join(':');
};

const printPart = (filter: Filter): string =>
  filter.kind === 'and' || filter.kind === 'or' ? `(${printFilter(filter)})` : printFilter(filter);

/** The text of a filter; parsing it returns an equal filter. */
export const printFilter = (filter: Filter): string => {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.of.map(printPart).join(` ${filter.kind} `);
    case 'not':
      return `not (${printFilter(filter.of)})`;
    case 'element':
      return `${printPath(filter.attribute)}[${printFilter(filter.of)}]`;
    case 'present':
      return `${printPath(filter.attribute)} pr`;
    case 'compare':
      return `${printPath(filter.attribute)} ${filter.operator} ${JSON.stringify(filter.value)}`;
  }
};
