import type { AttemptRecord, StoredAttempt } from '../../outbox/delivery-record.js';
import type { JsonObject } from '../../domain/kernel/json.js';
import type { Acknowledgement } from '../../outbox/outbox-claims.js';
import type { OutboxDocument } from '../tables/outbox.js';
import type { AttemptFields } from '../tables/outbox-attempts.js';

export type AttemptText = Pick<AttemptFields, 'summary' | 'details'>;

export const toText = (kept: StoredAttempt | null): AttemptText => ({
  ...(kept && { summary: JSON.stringify(kept.summary) }),
  ...(kept?.details && { details: JSON.stringify(kept.details) }),
});

const fromText = ({ summary, details }: AttemptFields): StoredAttempt | null =>
  summary === undefined
    ? null
    : {
        summary: JSON.parse(summary) as JsonObject,
        ...(details !== undefined && { details: JSON.parse(details) as JsonObject }),
      };

/** A long record might make a row impossible to write, which would be sent again for ever. */
const MAX_TEXT_IN_ROW = 2_048;

/**
 * The record of a first attempt, if it is stored in the row: with the acknowledgement, and without a
 * document of its own and its index entries.
 */
export const textInRow = ({ attempt }: Acknowledgement): AttemptText | undefined => {
  if (!attempt?.record?.isFirst) return undefined;
  const text = toText(attempt.record.kept);
  const length = (text.summary?.length ?? 0) + (text.details?.length ?? 0);
  return length <= MAX_TEXT_IN_ROW ? text : undefined;
};

export const fromFields = (fields: AttemptFields): AttemptRecord => {
  const { at, ms, reason } = fields;
  return { at, ms, reason, kept: fromText(fields) };
};

/** The attempt in a row. Its time is that of its acknowledgement. */
export const attemptInRow = ({ first }: Pick<OutboxDocument, 'first'>): readonly AttemptRecord[] =>
  first ? [fromFields({ ...first, at: new Date(first.at.getTime() - first.ms) })] : [];
