import type { Route } from '../../api/route.js';
import { adminTokenRoutes, type AdminTokenRouteParts } from './admin-token-routes.js';
import { apiKeyRoutes, type ApiKeyRouteParts } from './api-key-routes.js';
import { capturedRequestRoutes, type CapturedRequestParts } from './captured-request-routes.js';
import { commandRoutes, type CommandRouteParts } from './command-routes.js';
import { eventRoutes, type EventRouteParts } from './event-routes.js';
import { explainRoutes, type ExplainRouteParts } from './explain-routes.js';
import { groupRoutes, type GroupRouteParts } from './group-routes.js';
import { jobRoutes, type JobRouteParts } from './job-routes.js';
import { liveRoutes, type LiveRouteParts } from './live-routes.js';
import { oidcRoutes, type OidcRouteParts } from './oidc-routes.js';
import { operatorAccountRoutes, type OperatorAccountParts } from './operator-account-routes.js';
import { pluginRoutes, type PluginRouteParts } from './plugin-routes.js';
import { roleMappingRoutes, type RoleMappingRouteParts } from './role-mapping-routes.js';
import { roleTestRoutes, type RoleTestRouteParts } from './role-test-routes.js';
import { overviewRoutes, type OverviewRouteParts } from './overview-routes.js';
import { operatorRoomRoutes, type OperatorRoomParts } from './room-routes.js';
import { sessionRoutes, type SessionRouteParts } from './session-routes.js';
import { searchRoutes, type SearchRouteParts } from './search-routes.js';
import { systemRoutes, type SystemRouteParts } from './system-routes.js';
import { setupRoutes, type SetupRouteParts } from './setup-routes.js';
import { setupLinkRoutes, type SetupLinkParts } from './setup-link-routes.js';
import { tenantRoutes, type TenantRouteParts } from './tenant-routes.js';
import { userRoomRoutes, type UserRoomRouteParts } from './user-room-routes.js';

export type OperatorRouteParts = TenantRouteParts &
  OverviewRouteParts &
  SetupRouteParts &
  SearchRouteParts &
  SystemRouteParts &
  UserRoomRouteParts &
  ApiKeyRouteParts &
  OperatorRoomParts &
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
  ...operatorRoomRoutes(parts),
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
