import { capitalise } from '../../../src/plugin/connectors-api.js';
import type { PlanItem } from './plan-item.js';

const clause = (verb: string, names: readonly string[]): readonly string[] =>
  names.length === 0 ? [] : [`${verb} ${names.join(', ')}`];

/** What happens to a user: `Moves from Fire 1 to Fire 2; changes title.` */
export const changeInWords = ({
  changes,
  groups,
  manager,
}: Pick<PlanItem, 'changes' | 'groups' | 'manager'>): string => {
  const groupsTo = (wanted: 'add' | 'remove') =>
    groups.flatMap(({ op, name }) => (op === wanted ? [name] : []));
  const [joined, left] = [groupsTo('add'), groupsTo('remove')];
  const attributes = changes.map(({ attribute }) => attribute);
  const clauses = [
    ...(joined.length === 1 && left.length === 1
      ? [`moves from ${left.join()} to ${joined.join()}`]
      : [...clause('joins', joined), ...clause('leaves', left)]),
    ...clause('changes', manager === undefined ? attributes : [...attributes, 'manager']),
  ].join('; ');
  return `${capitalise(clauses)}.`;
};
