/** A list of recipients; whose members stand where is counted in it (sms-order.ts). */
export interface SmsListDocument {
  readonly _id: string;
  readonly tenant: string;
  readonly v: number;
  /** Absent only while names trade places within a commit (pipeline-rules.md 10). */
  readonly folded: { readonly name?: string };
  readonly name: string;
  readonly externalId?: string;
  readonly validFrom: Date | null;
  readonly validUntil: Date | null;
  readonly memberCount: number;
  readonly nextPlace: number;
  /** How many members stand in each stretch of places, by its number. */
  readonly stretches: Readonly<Record<string, number>>;
  readonly pendingJob: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A list without what only its pages need. */
export type SmsListFields = Omit<SmsListDocument, 'stretches'>;

export interface SmsMemberDocument {
  readonly _id: string;
  readonly tenant: string;
  readonly list: string;
  /** The keyed hash of list and number. */
  readonly key: string;
  /** The number, encrypted. */
  readonly sealed: string;
  readonly displayName: string | null;
  readonly place: number;
  /** The window as an index can ask for it: an open end is the end of time. */
  readonly from: Date;
  readonly until: Date;
  /** The same ends where they are not open: whoever has none is not counted one by one. */
  readonly starts?: Date;
  readonly ends?: Date;
  readonly createdAt: Date;
}

export interface SmsJobPartDocument {
  readonly _id: string;
  readonly tenant: string;
  readonly members: readonly string[];
  /** For each of them: what he is to become; null: he leaves. */
  readonly after: readonly (SmsMemberDocument | null)[];
}
