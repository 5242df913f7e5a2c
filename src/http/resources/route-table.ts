import type { Route } from '../../routes/route.js';
import {
  nativeJobRoutes,
  type NativeJobRouteParts,
  jobRoutes,
  type JobRouteParts,
} from './jobs.js';
import { keyRoutes, type KeyRouteParts } from './key-and-capacity.js';
import { memberRoutes } from './members.js';
import { roomRoutes, type RoomRouteParts } from './rooms.js';
import { smsListRoutes, type SmsRouteParts } from './sms-lists.js';
import { smsMemberRoutes } from './sms-members.js';
import { userRoutes, type UserRouteParts } from './users.js';
import {
  adminTokenRoutes,
  type AdminTokenRouteParts,
  pluginRoutes,
  type PluginRouteParts,
  systemRoutes,
  type SystemRouteParts,
} from './system.js';
import { apiKeyRoutes, type ApiKeyRouteParts } from './api-keys.js';
import { capturedRequestRoutes, type CapturedRequestParts } from './captured-requests.js';
import { commandRoutes, type CommandRouteParts } from './commands.js';
import { eventRoutes, type EventRouteParts } from './events.js';
import { explainRoutes, type ExplainRouteParts } from './explain-routes.js';
import { groupRoutes, type GroupRouteParts } from './groups.js';
import { liveRoutes, type LiveRouteParts } from './live-log.js';
import { oidcRoutes, type OidcRouteParts } from './oidc.js';
import { operatorAccountRoutes, type OperatorAccountParts } from './operators.js';
import { roleMappingRoutes, type RoleMappingRouteParts } from './role-mappings.js';
import { roleTestRoutes, type RoleTestRouteParts } from './role-test.js';
import { overviewRoutes, type OverviewRouteParts } from './overview.js';
import { operatorRoomRoutes, userRoomRoutes, type UserRoomRouteParts } from './operator-rooms.js';
import { sessionRoutes, type SessionRouteParts } from './sessions.js';
import { searchRoutes, type SearchRouteParts } from './search.js';
import { setupRoutes, type SetupRouteParts } from './setup.js';
import { setupLinkRoutes, type SetupLinkParts } from './setup-links.js';
import { tenantRoutes, type TenantRouteParts } from './tenants.js';

export interface NativeRouteParts
  extends KeyRouteParts, NativeJobRouteParts, RoomRouteParts, SmsRouteParts, UserRouteParts {}

/** The routes of the tenant API, without those of plugins. */
export const nativeRoutes = (parts: NativeRouteParts): readonly Route[] => [
  ...keyRoutes(parts),
  ...userRoutes(parts),
  ...roomRoutes(parts),
  ...memberRoutes(parts),
  ...smsListRoutes(parts),
  ...smsMemberRoutes(parts),
  ...nativeJobRoutes(parts),
];

export type OperatorRouteParts = TenantRouteParts &
  OverviewRouteParts &
  SetupRouteParts &
  SearchRouteParts &
  SystemRouteParts &
  UserRoomRouteParts &
  ApiKeyRouteParts &
  GroupRouteParts &
  RoleMappingRouteParts &
  RoleTestRouteParts &
  JobRouteParts &
  CommandRouteParts &
  LiveRouteParts &
  CapturedRequestParts &
  EventRouteParts &
  ExplainRouteParts &
  PluginRouteParts &
  SessionRouteParts &
  OperatorAccountParts &
  SetupLinkParts &
  OidcRouteParts &
  AdminTokenRouteParts;

/** The operators' API (decisions.md 8). */
export const operatorRoutes = (parts: OperatorRouteParts): readonly Route[] => [
  ...tenantRoutes(parts),
  ...overviewRoutes(parts),
  ...searchRoutes(parts),
  ...userRoomRoutes(parts),
  ...apiKeyRoutes(parts),
  ...operatorRoomRoutes(),
  ...groupRoutes(parts),
  ...roleMappingRoutes(parts),
  ...roleTestRoutes(parts),
  ...jobRoutes(parts),
  ...commandRoutes(parts),
  ...liveRoutes(parts),
  ...capturedRequestRoutes(parts),
  ...eventRoutes(parts),
  ...explainRoutes(parts),
  ...pluginRoutes(parts),
  ...systemRoutes(parts),
  ...adminTokenRoutes(parts),
  ...sessionRoutes(parts),
  ...oidcRoutes(parts),
  ...setupLinkRoutes(parts),
  ...setupRoutes(parts),
  ...operatorAccountRoutes(parts),
];
