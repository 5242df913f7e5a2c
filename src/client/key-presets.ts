/** Sets of scopes for the usual holders of API keys (interface.md, Authentication). */
export const KEY_PRESETS = {
  idp: ['scim:read', 'scim:write'],
  'read-only': ['scim:read', 'api:users:read', 'api:rooms:read', 'api:sms_lists:read', 'usage'],
  'room-sync': ['api:users:read', 'api:rooms:read', 'api:rooms:write'],
  'sms-lists': ['api:sms_lists:read', 'api:sms_lists:write'],
} as const;
