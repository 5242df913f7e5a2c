/**
 * The document of `docs/`, with the section, and the pages that it explains: how their addresses begin.
 *
 * @internal Exported for tests.
 */
export const HELP = [
  ['connectors', '/connectors'],
  ['events', '/events'],
  ['guides/README#before-you-start', '/settings/api-keys'],
  ['guides/README', '/setup', '/guide'],
  ['notifications', '/notifications'],
  ['operating#diagnose-a-gateway-rollgate-doctor', '/system'],
  ['operating#rooms-roles-and-large-changes', '/rooms', '/groups', '/admin/security/sso'],
  ['operators#passkeys', '/account'],
  ['operators#roles', '/operators', '/tenants'],
  ['operators#the-operators-log', '/operator-log'],
  ['provisioning-log#explain-a-users-role-or-room-membership', '/users'],
  ['provisioning-log#the-health-of-connections', '/connections'],
  ['provisioning-log#the-provisioning-log', '/log', '/live'],
  ['provisioning-log#what-an-identity-provider-really-sent', '/requests'],
  ['sms-lists', '/sms-lists'],
  ['tenant-settings', '/settings/tenant'],
  ['webhooks', '/settings/webhooks'],
  ['provisioning-log#overview-activity-and-search', ''],
] as const;

/** What explains the page at an address below `/dashboard`: the first that fits. */
export const helpFor = (address: string): string | undefined => {
  const page = address.replace(/^\/t\/[^/?]+/, '');
  return HELP.find(([, ...starts]) => starts.some((start) => page.startsWith(start)))?.[0];
};
