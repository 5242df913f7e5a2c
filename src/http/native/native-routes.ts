import type { Route } from '../../api/route.js';
import { keyRoutes, type KeyRouteParts } from './key-routes.js';
import { userRoutes, type UserRouteParts } from './user-routes.js';

export interface NativeRouteParts extends KeyRouteParts, UserRouteParts {}

/** The tenant API's own routes; plugins add theirs to the same table. */
export const nativeRoutes = (parts: NativeRouteParts): readonly Route[] => [
  ...keyRoutes(parts),
  ...userRoutes(parts),
];
