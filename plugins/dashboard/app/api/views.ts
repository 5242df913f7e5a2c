/** What the operators' API returns, as openapi.json describes it. */

export type OperatorRole = 'owner' | 'admin' | 'operator' | 'auditor';

export interface Operator {
  readonly id: string | null;
  readonly name: string;
  readonly email: string | null;
  /** `setup`: opened by a setup link, which shows the setup of one tenant only. */
  readonly role: OperatorRole | 'setup';
  /** Null: all tenants. */
  readonly tenants: readonly string[] | null;
}

export interface Session {
  readonly operator: Operator;
  readonly csrf_token: string | null;
  readonly authenticated_at: string | null;
  readonly step_up_until: string | null;
  readonly expires_at: string | null;
  readonly sign_out_url: string | null;
}

export interface SignInOptions {
  readonly oidc: { readonly name: string; readonly start_url: string } | null;
  readonly setup_pending: boolean;
  /** Whether the cookie names a session. */
  readonly signed_in?: boolean;
}

export interface Listed {
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
}

export interface Tenant {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly seat_capacity: number | null;
  readonly default_role: string;
  readonly room_provisioning: 'manual' | 'automatic';
  readonly default_country: string | null;
  readonly created_at: string;
}

export interface TenantList extends Listed {
  readonly tenants: readonly Tenant[];
}

export interface User {
  readonly id: string;
  readonly email: string | null;
  readonly display_name: string;
  readonly active: boolean;
  readonly created_at: string;
  readonly user_name: string;
  readonly external_id: string | null;
  readonly role: string;
  readonly updated_at: string;
}

export interface UserList extends Listed {
  readonly users: readonly User[];
}

export interface UserRooms extends Listed {
  readonly rooms: readonly {
    readonly id: string;
    readonly name: string;
    readonly tx_permission: boolean;
    readonly added_at: string;
  }[];
}

export interface Room {
  readonly id: string;
  readonly name: string;
  readonly display_name: string | null;
  readonly external_id: string | null;
  readonly member_count: number;
  readonly created_at: string;
  readonly role: string | null;
  readonly group_id: string | null;
}

export interface RoomList extends Listed {
  readonly rooms: readonly Room[];
}

export interface Member {
  readonly user_id: string;
  readonly tx_permission: boolean;
  readonly email: string | null;
  readonly display_name: string;
  readonly active: boolean;
  readonly added_at: string;
}

export interface MemberList extends Listed {
  readonly members: readonly Member[];
}

export interface Group {
  readonly id: string;
  readonly display_name: string;
  readonly external_id: string | null;
  readonly room_id: string | null;
  readonly role: string | null;
  readonly member_count: number;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface GroupList extends Listed {
  readonly groups: readonly Group[];
}

export interface LoggedObject {
  readonly kind: string;
  readonly id: string | null;
  readonly name: string | null;
}

export interface LoggedChange {
  readonly path: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

export type Outcome = 'applied' | 'no-op' | 'refused' | 'failed';
export type Source = 'scim' | 'rest' | 'admin' | 'cli' | 'dashboard' | 'connector' | 'system';

export interface Command {
  readonly id: string;
  readonly at: string;
  readonly actor: {
    readonly kind: 'api-key' | 'operator' | 'connector' | 'system';
    readonly id: string | null;
    readonly name: string | null;
  };
  readonly source: Source;
  readonly type: string;
  readonly subject: LoggedObject | null;
  readonly affected: readonly LoggedObject[];
  readonly affected_count: number;
  readonly changes: readonly LoggedChange[];
  readonly change_count: number;
  readonly outcome: Outcome;
  readonly error: string | null;
  readonly message: string | null;
  readonly events: { readonly first_seq: number; readonly last_seq: number } | null;
  readonly deliveries: number;
  readonly duration_ms: number;
  readonly request_id: string;
}

export interface CommandList {
  readonly commands: readonly Command[];
  readonly next: string | null;
}

export interface ExplainedFact {
  readonly kind:
    | 'user'
    | 'room'
    | 'group'
    | 'no_group'
    | 'membership'
    | 'role_mapping'
    | 'no_role_mapping'
    | 'priority'
    | 'default_role'
    | 'job'
    | 'command';
  readonly text: string;
  readonly user_id?: string;
  readonly room_id?: string;
  readonly group_id?: string;
  readonly role_mapping_id?: string;
  readonly command_id?: string;
  readonly at?: string;
}

export interface Explanation {
  readonly question: string;
  readonly answer: {
    readonly text: string;
    readonly member?: boolean;
    readonly tx_permission?: boolean | null;
    readonly role?: string | null;
  };
  readonly facts: readonly ExplainedFact[];
  readonly would_change: readonly { readonly text: string; readonly role?: string }[];
}

export interface AttentionItem {
  readonly severity: 'error' | 'warning' | 'info';
  readonly code: string;
  readonly message: string;
  /** What to do. */
  readonly action: string;
  readonly link: string | null;
}

export interface Overview {
  readonly seats: {
    readonly capacity: number | null;
    readonly provisioned: number;
    readonly available: number | null;
  };
  readonly users: { readonly total: number; readonly active: number };
  readonly rooms: { readonly total: number; readonly mapped: number };
  readonly identity_provider: {
    readonly key_id: string;
    readonly description: string;
    readonly last_request_at: string | null;
    readonly user_agent: string | null;
  } | null;
  readonly attention: readonly AttentionItem[];
  readonly webhooks: { readonly total: number; readonly failing: number };
  readonly connectors: {
    readonly total: number;
    readonly held: number;
    readonly failed: number;
  };
}

export interface Activity {
  readonly points: readonly {
    readonly at: string;
    readonly applied: number;
    readonly unchanged: number;
    readonly refused: number;
    readonly failed: number;
    readonly events: number;
  }[];
}

export interface RoleMapping {
  readonly id: string;
  readonly group_display_name: string;
  readonly role: string;
  readonly apply_on_scim_provisioning: boolean;
  /** The lowest number wins. */
  readonly priority: number;
  readonly source: string;
  readonly created_at: string;
}

export interface RoleMappingList extends Listed {
  readonly role_mappings: readonly RoleMapping[];
}

/** What a write would do. */
export interface DryRun {
  readonly status: number;
  readonly body: unknown;
  readonly events: readonly { readonly event: string; readonly data: unknown }[];
  readonly event_count: number;
  readonly seats: {
    readonly capacity: number | null;
    readonly before: number;
    readonly after: number;
  };
  /** The first 100. */
  readonly role_changes: readonly {
    readonly user_id: string;
    readonly from: string;
    readonly to: string;
  }[];
  readonly role_change_count: number;
  readonly role_change_summary: readonly {
    readonly from: string;
    readonly to: string;
    readonly count: number;
  }[];
  readonly remaining: number;
}

export interface RoleTest {
  readonly role: string;
  readonly mapping: string | null;
  readonly default_role: string;
  readonly matches: readonly {
    readonly id: string;
    readonly group_display_name: string;
    readonly role: string;
    readonly priority: number;
    readonly applies: boolean;
    readonly reason: string;
  }[];
  readonly rooms: readonly { readonly id: string; readonly name: string }[];
  readonly groups: readonly {
    readonly display_name: string;
    readonly exists: boolean;
    readonly room: string | { readonly id: string; readonly name: string } | null;
  }[];
}
