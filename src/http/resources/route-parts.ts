import type {
  ActivityReader,
  CapturedRequests,
  CommandLogReader,
  ExplainReader,
} from '../../ports/command-log.js';
import type { ConnectionStore } from '../../ports/connections.js';
import type { OperatorLog } from '../../ports/operator-log.js';
import type { AdminTokens, OpenIdProvider, SignInStores } from '../../ports/operators.js';
import type { GroupViewReader, RoleMappingReader, RoomReader } from '../../ports/rooms.js';
import type { NumberVault, SmsListReader } from '../../ports/sms-lists.js';
import type { PluginState, ReadSystem } from '../../ports/system.js';
import type { Log } from '../../ports/telemetry.js';
import type {
  ApiKeyReader,
  EventReader,
  JobReader,
  SearchReader,
  TenantReader,
} from '../../ports/tenants.js';
import type { UserReader } from '../../ports/users.js';
import type { PreviewCommand } from '../../pipeline/preview.js';
import type { GroupRole } from '../../domain/operator/operator.js';
import type { Extensions } from '../../routes/extensions.js';
import type { AdminTokenCheck } from '../access/credentials.js';
import type { KeyCache } from '../access/authenticate-key.js';
import type { SessionCache, Sessions } from '../access/sessions.js';
import type { SignInLog } from '../access/sign-in-log.js';
import type { ReplayRequest } from '../scim/replay-request.js';

/** The OpenID provider of operators, and what its groups may do. */
export interface OperatorSignIn {
  readonly provider: OpenIdProvider;
  readonly roles: readonly GroupRole[];
}

/** What people see before they sign in. */
export interface Branding {
  /** Null: Rollgate. */
  readonly name: string | null;
  /** An SVG. */
  readonly logo: string | null;
  /** Colours for text and buttons, in the light and the dark theme. */
  readonly accent: { readonly light: string; readonly dark: string } | null;
}

/** Encrypts what a browser carries through a sign-in, for all gateways. */
interface Seal {
  readonly seal: (plain: string) => string;
  readonly unseal: (text: string) => string;
}

/** What the routes use of the gateway. */
export interface EdgePorts {
  readonly users: UserReader;
  readonly groupViews: GroupViewReader;
  readonly rooms: RoomReader;
  readonly roleMappings: RoleMappingReader;
  readonly smsLists: SmsListReader;
  readonly numbers: NumberVault;
  readonly jobs: JobReader;
  readonly events: EventReader;
  readonly tenants: TenantReader;
  readonly apiKeys: ApiKeyReader;
  readonly connections: ConnectionStore;
  readonly commands: CommandLogReader;
  readonly capturedRequests: CapturedRequests;
  readonly explain: ExplainReader;
  readonly activity: ActivityReader;
  readonly search: SearchReader;
  readonly system: ReadSystem;
  readonly plugins: () => Promise<readonly PluginState[]>;
  readonly adminTokens: AdminTokens;
  readonly signIn: SignInStores;
  readonly operatorLog: OperatorLog;
  readonly seal: Seal;
  /** Undefined: operators sign in with links and passkeys only. */
  readonly operatorSignIn: OperatorSignIn | undefined;
  readonly branding: Branding;
  /** What enabled plugins add. */
  readonly extensions: Extensions;
  /** The base URL by which clients reach the gateway, without a trailing slash. */
  readonly publicUrl: () => string;
  readonly log: Log;
  /** The database's clock. */
  readonly now: () => Date;
}

/** What handlers may use: each takes what it needs. */
export interface RouteParts extends EdgePorts {
  readonly keys: Pick<KeyCache, 'invalidateKey' | 'invalidateTenant'>;
  readonly sessions: Sessions;
  readonly signInLog: SignInLog;
  readonly sessionCache: Pick<SessionCache, 'invalidate' | 'invalidateOperator'>;
  readonly adminTokenCheck: AdminTokenCheck;
  /** Stores what this gateway has counted of connections, so that they can be read. */
  readonly flushConnections: () => Promise<void>;
  readonly preview: PreviewCommand;
  /** Undefined: no SCIM interface. */
  readonly replay: ReplayRequest | undefined;
}
