/**
 * What explains a page: the beginning of its address below the tenant, the more special one first,
 * and the document of `docs/`, with the section.
 */
export const HELP = [
  ['/guide?section=health', 'troubleshooting#an-identity-provider'],
  ['/guide?section=people', 'provisioning-log#explain-a-users-role-or-room-membership'],
  ['/guide?section=webhooks', 'webhooks'],
  ['/guide', 'guides/README'],
  ['/log', 'provisioning-log#the-provisioning-log'],
  ['/live', 'provisioning-log#overview-activity-and-search'],
  ['/events', 'events'],
  ['/requests', 'provisioning-log#what-an-identity-provider-really-sent'],
  ['/connections', 'provisioning-log#the-health-of-connections'],
  ['/users', 'provisioning-log#explain-a-users-role-or-room-membership'],
  ['/rooms', 'operating#rooms-roles-and-large-changes'],
  ['/groups', 'operating#rooms-roles-and-large-changes'],
  ['/sms-lists', 'sms-lists#lists-and-members'],
  ['/settings/tenant', 'tenant-settings'],
  ['/setup?provider=okta', 'guides/okta'],
  ['/setup?provider=entra', 'guides/entra-id'],
  ['/setup?provider=google', 'guides/google-workspace'],
  ['/setup?provider=keycloak', 'guides/keycloak'],
  ['/setup?provider=authentik', 'guides/authentik'],
  ['/setup?provider=other', 'guides/scim'],
  ['/setup', 'guides/README'],
  ['/connectors', 'connectors'],
  ['/admin/security/sso/directory-roles', 'operating#rooms-roles-and-large-changes'],
  ['/settings/api-keys', 'guides/README#before-you-start'],
  ['/settings/webhooks', 'webhooks'],
  ['/operators', 'operators#further-operators'],
  ['/operator-log', 'operators#the-operators-log'],
  ['/notifications', 'notifications'],
  ['/account', 'operators#passkeys'],
  ['/system', 'operating#diagnose-a-gateway-rollgate-doctor'],
  ['/tenants', 'operators#roles'],
  ['', 'provisioning-log#overview-activity-and-search'],
] as const;

/** The section about the page at an address below `/dashboard`; documents have none. */
export const helpFor = (address: string): string | undefined => {
  if (address.startsWith('/help/')) return undefined;
  const page = address.replace(/^\/t\/[^/?]+/, '');
  return HELP.find(([start]) => page.startsWith(start))?.[1];
};
