import type { Route } from '../../api/route.js';
import { nativeJobRoutes, type NativeJobRouteParts } from './job-routes.js';
import { keyRoutes, type KeyRouteParts } from './key-routes.js';
import { memberRoutes } from './member-routes.js';
import { roomRoutes } from './room-routes.js';
import type { RoomRouteParts } from './room-routing.js';
import { smsListRoutes } from './sms-list-routes.js';
import { smsMemberRoutes } from './sms-member-routes.js';
import type { SmsRouteParts } from './sms-routing.js';
import { userRoutes, type UserRouteParts } from './user-routes.js';

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
