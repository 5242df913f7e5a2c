/** A half-open time window: from ≤ t < until (decisions.md 6). */
export interface SmsWindow {
  /** Null: no start. */
  readonly validFrom: Date | null;
  /** Null: no end. */
  readonly validUntil: Date | null;
}

/** Whether the window ends after it starts. */
export const isSmsWindow = ({ validFrom, validUntil }: SmsWindow): boolean =>
  validFrom === null || validUntil === null || validFrom < validUntil;

/** Whether the window includes the time. */
export const holdsAt = ({ validFrom, validUntil }: SmsWindow, at: Date): boolean =>
  (validFrom === null || validFrom <= at) && (validUntil === null || at < validUntil);
