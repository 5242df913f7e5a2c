export type ProviderId = 'okta' | 'entra' | 'google' | 'keycloak' | 'authentik' | 'other';

/** What to enter where, with the names of the vendor's menus. */
export interface IdentityProvider {
  readonly id: ProviderId;
  readonly name: string;
  readonly about: string;
  /** The vendor's name of the base URL, and of the key. */
  readonly urlField: string;
  readonly keyField: string;
  /** What the vendor needs behind the base URL. */
  readonly urlSuffix?: string;
  /** It asks for an authentication method, and can exchange the key for short-lived tokens. */
  readonly hasTokenGrant?: true;
  readonly sendsNoGroups?: true;
  readonly steps: readonly string[];
  readonly test: string;
}

export const IDENTITY_PROVIDERS: readonly IdentityProvider[] = [
  {
    id: 'okta',
    name: 'Okta',
    about: 'A SCIM 2.0 app with an OAuth bearer token',
    urlField: 'Base URL',
    keyField: 'OAuth Bearer Token',
    steps: [
      'Applications → Applications → Browse App Catalog: search for “SCIM 2.0 Test App (OAuth Bearer Token)”, then Add Integration.',
      'Open Provisioning → Configure API Integration → Enable API integration, and enter the URL and the token from above.',
      'Choose Test API Credentials, then Save.',
      'Under Provisioning → To App → Edit, enable Create Users, Update User Attributes and Deactivate Users, then Save.',
      'Choose Assignments → Assign: one person first.',
      'Choose Push Groups → Find groups by name. Assign the people of a group before you push it.',
    ],
    test: 'Test API Credentials',
  },
  {
    id: 'entra',
    name: 'Microsoft Entra ID',
    about: 'An enterprise application with automatic provisioning',
    urlField: 'Tenant URL',
    keyField: 'Secret Token',
    urlSuffix: '?aadOptscim062020',
    hasTokenGrant: true,
    steps: [
      'Entra admin center → Enterprise applications → New application → Create your own application. Choose “Integrate any other application you don’t find in the gallery (Non-gallery)”.',
      'Choose Provisioning → New configuration, or Get started and the Provisioning Mode Automatic. Select the authentication method from above, and enter its values.',
      'Choose Test Connection, then Create or Save.',
      'Under Mappings, for users, map objectId to externalId instead of mailNickname, so that renamed people stay the same.',
      'Under Settings, set Scope to “Sync only assigned users and groups”, and switch on Prevent accidental deletion.',
      'Choose Users and groups → Add user/group: one group first.',
      'Choose Provision on demand for one person: they appear below at once. Then choose Start provisioning; its first cycle takes 20 minutes or more.',
    ],
    test: 'Test Connection',
  },
  {
    id: 'google',
    name: 'Google Workspace',
    about: 'Auto-provisioning of a catalogue app; users, but no groups',
    urlField: 'Endpoint URL',
    keyField: 'Access token',
    sendsNoGroups: true,
    steps: [
      'Google Admin console → Apps → Web and mobile apps → Add app → Search for apps: choose one whose SCIM address can be entered, such as Keeper Web (SAML).',
      'Switch User access on for the organisational units to provision.',
      'Choose Auto-provisioning → Configure auto-provisioning, and enter the token and the URL from above.',
      'Choose the attribute mapping, the provisioning scope and the deprovisioning, then Finish.',
      'Turn Auto-provisioning on. Google sends no groups: add members of rooms over the API, or by a connector.',
    ],
    test: 'Auto-provisioning',
  },
  {
    id: 'keycloak',
    name: 'Keycloak',
    about: 'With a SCIM client extension',
    urlField: 'SCIM 2.0 endpoint',
    keyField: 'Bearer token',
    steps: [
      'Keycloak sends SCIM through an extension. Copy its JAR to /opt/keycloak/providers/, run kc.sh build, and restart.',
      'Choose Realm settings → Events → Event listeners: add scim, then Save.',
      'Choose User federation → Add scim provider, with Auth mode BEARER, and enter the URL and the token from above.',
      'Enable User propagation and Group propagation. Leave Import during sync off. Save.',
      'Choose Sync all users.',
    ],
    test: 'Sync all users',
  },
  {
    id: 'authentik',
    name: 'authentik',
    about: 'A SCIM provider as a backchannel of an application',
    urlField: 'URL',
    keyField: 'Token',
    steps: [
      'Admin interface → Applications → Providers → Create → SCIM Provider, and enter the URL and the token from above.',
      'Choose the default SCIM mappings of users and groups, and exclude service accounts. Finish.',
      'Choose Applications → Applications → your application → Edit → Backchannel Providers, and add the SCIM provider.',
      'Open the provider, and choose Sync status → Run sync again.',
    ],
    test: 'Run sync again',
  },
  {
    id: 'other',
    name: 'Another provider',
    about: 'Any SCIM 2.0 client',
    urlField: 'SCIM base URL',
    keyField: 'Bearer token',
    steps: [
      'Find “provisioning” or “SCIM” in the settings of its application.',
      'Enter the URL and the token from above; choose authentication by a bearer token or an HTTP header.',
      'Use userName as the unique identifier.',
      'Test the connection, then assign one user.',
    ],
    test: 'the connection test',
  },
];
