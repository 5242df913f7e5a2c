import { codeOf, declaredKindOf, type DeclaredRefusal } from '../../src/domain/kernel/refusals.js';
import { REFUSALS, type RefusalCode, refusalRow } from '../../src/domain/kernel/refusal-table.js';
import { STATUS_BY_KIND } from '../../src/routes/responses.js';
import { describeExtensions } from '../shared/describe-extensions.js';
import { code, table } from './markdown.js';

const helpOf = (declared: DeclaredRefusal) =>
  typeof declared === 'string' ? refusalRow(declared) : declared;

const row = (declared: DeclaredRefusal): readonly string[] => {
  const { cause, remedy } = helpOf(declared);
  if (cause === undefined || remedy === undefined)
    throw new Error(`The declaration of ${codeOf(declared)} has no cause and remedy.`);
  return [code(codeOf(declared)), cause, remedy];
};

/** Every error code by status: its cause and its remedy. */
export const describeErrors = async (): Promise<string> => {
  const { refusals } = await describeExtensions();
  const all: readonly DeclaredRefusal[] = [
    ...(Object.keys(REFUSALS) as RefusalCode[]),
    ...refusals,
  ];
  const statuses = [...new Set(Object.values(STATUS_BY_KIND))].toSorted(
    (one, other) => one - other,
  );
  return statuses
    .flatMap((status) => [
      `## ${status}`,
      table(
        ['code', 'cause', 'what to do'],
        all.filter((one) => STATUS_BY_KIND[declaredKindOf(one)] === status).map(row),
      ),
    ])
    .join('\n\n');
};
