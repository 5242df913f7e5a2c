/** When something holds: from its beginning up to, but not at, its end (decisions.md 6). */
export interface SmsWindow {
  /** Null: since ever. */
  readonly validFrom: Date | null;
  /** Null: for ever. */
  readonly validUntil: Date | null;
}

/** Whether it ends after it begins; an open end never hurts. */
export const isSmsWindow = ({ validFrom, validUntil }: SmsWindow): boolean =>
  validFrom === null || validUntil === null || validFrom < validUntil;

/** Half-open: it holds at its beginning, and no more at its end. */
export const holdsAt = ({ validFrom, validUntil }: SmsWindow, at: Date): boolean =>
  (validFrom === null || validFrom <= at) && (validUntil === null || at < validUntil);
