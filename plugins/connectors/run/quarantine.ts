import { isNewerRun, type QuarantinedRecord } from './run-record.js';

/** Hours until a record is tried again that has failed this often. */
const BACK_OFF = [2, 6, 12, 24, 48, 96, 168];
const HOUR_MS = 3_600_000;
/** Whether the record takes over the user of someone with other names. */
export const TAKEOVER = 'TAKEOVER';
/** Only an operator can decide: time changes nothing. */
const FOR_OPERATORS: ReadonlySet<string> = new Set(['USER_DELETED', TAKEOVER]);

const ABOUT_RECORDS: ReadonlySet<string> = new Set([
  ...['MAPPING', 'DATE', 'UNREADABLE', 'AMBIGUOUS'],
  TAKEOVER,
]);

const UNDECIDED: ReadonlySet<string> = new Set(['AMBIGUOUS', 'USER_TAKEN', TAKEOVER]);

/** Whether who the record is cannot be decided: nothing is wrong with its form or the mapping. */
export const isUndecided = ({ code }: Pick<QuarantinedRecord, 'code'>): boolean =>
  UNDECIDED.has(code);

/** A record stays in quarantine until it changes or its next try is due. */
export const isWaiting = (
  quarantined: QuarantinedRecord | undefined,
  hash: string,
  now: Date,
): boolean =>
  quarantined?.hash === hash &&
  (quarantined.isIgnored ||
    quarantined.nextAt === null ||
    Date.parse(quarantined.nextAt) > now.getTime());

/** An operator has said that the record, as it is, is of no interest. */
export const isIgnored = (quarantined: QuarantinedRecord | undefined, hash: string): boolean =>
  quarantined?.isIgnored === true && quarantined.hash === hash;

/** Whether a newer run has put the record there. */
export const isNewer = (quarantined: QuarantinedRecord | undefined, runId: string): boolean =>
  quarantined !== undefined && isNewerRun(quarantined.runId, runId);

/** Whether the record itself is wrong, rather than what the gateway refused. */
export const isAboutRecord = ({ code }: Pick<QuarantinedRecord, 'code'>): boolean =>
  ABOUT_RECORDS.has(code);

/** An operator who retries the record of a deleted user wants a new one. */
export const wantsNewUser = (quarantined: QuarantinedRecord | undefined): boolean =>
  quarantined?.code === 'USER_DELETED' && quarantined.nextAt !== null;

interface Failure extends Pick<
  QuarantinedRecord,
  'sourceId' | 'label' | 'code' | 'message' | 'hash' | 'data' | 'runId'
> {
  readonly before: QuarantinedRecord | undefined;
  readonly now: Date;
}

/** The record in quarantine after it has failed, once more or for the first time. */
export const quarantineOf = ({ before, now, ...failure }: Failure): QuarantinedRecord => {
  const same = before?.hash === failure.hash ? before : undefined;
  const isRepeated = same?.runId === failure.runId;
  const failures = same ? same.failures + (isRepeated ? 0 : 1) : 1;
  const hours = FOR_OPERATORS.has(failure.code) ? undefined : BACK_OFF[failures - 1];
  return {
    ...failure,
    message: failure.message.slice(0, 1_000),
    failures,
    firstAt: before?.firstAt ?? now.toISOString(),
    lastAt: now.toISOString(),
    nextAt: hours === undefined ? null : new Date(now.getTime() + hours * HOUR_MS).toISOString(),
    isIgnored: same?.isIgnored ?? false,
  };
};
