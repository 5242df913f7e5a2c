/** What an API key may hold (interface.md, Authentication). A write scope does not imply read. */
export const SCOPES = [
  'scim:read',
  'scim:write',
  'api:users:read',
  'api:users:write',
  'api:rooms:read',
  'api:rooms:write',
  'api:sms_lists:read',
  'api:sms_lists:write',
  'usage',
  'webhooks',
] as const;

export type Scope = (typeof SCOPES)[number];

export const isScope = (text: string): text is Scope =>
  (SCOPES as readonly string[]).includes(text);
