import {
  codeOf,
  declaredKindOf,
  type DeclaredRefusal,
  REFUSALS,
  type RefusalCode,
} from '../../src/domain/kernel/refusals.js';
import { STATUS_BY_KIND } from '../../src/routes/responses.js';
import { describeExtensions } from '../shared/describe-extensions.js';
import { code, table } from './markdown.js';
import { ERROR_CAUSES, EXTENSION_ERROR_CAUSES } from './error-causes.js';

const causesOf = (declared: DeclaredRefusal) => {
  if (typeof declared === 'string') return ERROR_CAUSES[declared];
  const causes = EXTENSION_ERROR_CAUSES[declared.code];
  if (!causes) throw new Error(`tools/docs/error-causes.ts does not explain ${declared.code}.`);
  return causes;
};

const row = (declared: DeclaredRefusal): readonly string[] => {
  const [cause, remedy] = causesOf(declared);
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
