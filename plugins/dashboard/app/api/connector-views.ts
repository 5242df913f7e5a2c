import type { Listed } from './views.ts';

export type ConnectorState =
  'ready' | 'running' | 'held' | 'paused' | 'quarantined' | 'disabled' | 'unusable';

export interface Connector {
  readonly name: string;
  readonly use: string | null;
  readonly title: string;
  readonly state: ConnectorState;
  readonly message: string | null;
  readonly tried_against: 'server' | 'description' | null;
  readonly has_deltas: boolean;
  readonly last_success_at: string | null;
  readonly last_run: string | null;
  readonly next_full_at: string | null;
  readonly next_delta_at: string | null;
  readonly quarantined_records: number;
}

export interface ConnectorList extends Listed {
  readonly connectors: readonly Connector[];
}

export type RunState =
  | 'queued'
  | 'reading'
  | 'planning'
  | 'planned'
  | 'held'
  | 'approved'
  | 'applying'
  | 'done'
  | 'failed'
  | 'rejected'
  | 'expired'
  | 'superseded';

export type ItemKind =
  | 'create'
  | 'link'
  | 'relink'
  | 'update'
  | 'deactivate'
  | 'reactivate'
  | 'missing'
  | 'future'
  | 'touch';

export interface Run {
  readonly id: string;
  readonly mode: 'full' | 'delta' | 'dates' | 'ids';
  readonly state: RunState;
  readonly trigger: 'schedule' | 'catch-up' | 'operator' | 'first';
  readonly plan_only: boolean;
  readonly requested_by: string | null;
  readonly created_at: string;
  readonly finished_at: string | null;
  readonly read: number;
  readonly unchanged: number;
  readonly applied: number;
  readonly failed: number;
  readonly planned: Readonly<Partial<Record<ItemKind, number>>>;
  readonly plan: {
    readonly digest: string;
    readonly deactivations: number;
    readonly email_changes: number;
    readonly findings: readonly { readonly guard: string; readonly message: string }[];
  } | null;
  readonly expires_at: string | null;
  readonly approved_by: string | null;
  readonly approved_at: string | null;
  readonly message: string | null;
  readonly warnings: readonly string[];
}

export interface RunList {
  readonly runs: readonly Run[];
  readonly next: string | null;
}

export interface PlanItem {
  readonly index: number;
  readonly record: string;
  readonly kind: ItemKind;
  readonly user_id: string | null;
  readonly name: string;
  readonly why: string;
  readonly changes: readonly {
    readonly attribute: string;
    readonly before: unknown;
    readonly after: unknown;
  }[];
  readonly groups: readonly { readonly op: 'add' | 'remove'; readonly name: string }[];
  readonly warnings: readonly string[];
  readonly outcome: 'planned' | 'applied' | 'failed' | 'stale';
  readonly message: string | null;
}

export interface Plan {
  readonly items: readonly PlanItem[];
  readonly next: string | null;
}

export interface QuarantinedRecord {
  readonly record: string;
  readonly name: string;
  readonly code: string;
  readonly message: string;
  readonly failures: number;
  readonly first_at: string;
  readonly last_at: string;
  readonly next_at: string | null;
  readonly is_ignored: boolean;
  readonly run: string;
}

export interface Quarantine {
  readonly records: readonly QuarantinedRecord[];
  readonly next: string | null;
}
