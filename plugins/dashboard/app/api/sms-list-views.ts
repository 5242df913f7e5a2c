import type { Listed } from './views.ts';

/** When a list or a member counts; null: no bound. */
export interface Validity {
  readonly valid_from: string | null;
  readonly valid_until: string | null;
}

export interface SmsList extends Validity {
  readonly id: string;
  readonly name: string;
  readonly external_id: string | null;
  readonly member_count: number;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface SmsLists extends Listed {
  readonly sms_lists: readonly SmsList[];
}

export interface SmsMember extends Validity {
  readonly id: string;
  /** Masked. */
  readonly phone_number: string;
  readonly display_name: string | null;
  readonly created_at: string;
}

export interface SmsMembers extends Listed {
  readonly members?: readonly SmsMember[];
  readonly recipients?: readonly SmsMember[];
}

/** What a change of members did, or would do. */
export interface SmsChanges {
  readonly members_added: number;
  readonly members_updated: number;
  readonly members_removed?: number;
}
