import type { Route } from '../../routes/route.js';
import { jobRoutes, type JobRouteParts } from './jobs.js';
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
import { eventRoutes, type EventRouteParts } from '../../routes/event-feed.js';
import { explainRoutes, type ExplainRouteParts } from './explain-routes.js';
import { groupRoutes, type GroupRouteParts } from './groups.js';
import { liveRoutes, type LiveRouteParts } from './live-log.js';
import { oidcRoutes, type OidcRouteParts } from './oidc.js';
import { operatorAccountRoutes, type OperatorAccountParts } from './operators.js';
import { roleMappingRoutes, type RoleMappingRouteParts } from './role-mappings.js';
import { roleTestRoutes, type RoleTestRouteParts } from './role-test.js';
import { overviewRoutes, type OverviewRouteParts } from './overview.js';
import { sessionRoutes, type SessionRouteParts } from './sessions.js';
import { searchRoutes, type SearchRouteParts } from './search.js';
import { setupRoutes, type SetupRouteParts } from './setup.js';
import { setupLinkRoutes, type SetupLinkParts } from './setup-links.js';
import { tenantRoutes, type TenantRouteParts } from './tenants.js';

export type CoreRouteParts = KeyRouteParts &
  UserRouteParts &
  RoomRouteParts &
  SmsRouteParts &
  TenantRouteParts &
  OverviewRouteParts &
  SetupRouteParts &
  SearchRouteParts &
  SystemRouteParts &
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

/** The routes of both APIs, without those of plugins. */
export const coreRoutes = (parts: CoreRouteParts): readonly Route[] => [
  ...tenantRoutes(parts),
  ...overviewRoutes(parts),
  ...searchRoutes(parts),
  ...keyRoutes(parts),
  ...userRoutes(parts),
  ...apiKeyRoutes(parts),
  ...roomRoutes(parts),
  ...memberRoutes(parts),
  ...smsListRoutes(parts),
  ...smsMemberRoutes(parts),
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
