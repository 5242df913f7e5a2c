export type ProviderId = 'okta' | 'entra' | 'google' | 'keycloak' | 'authentik' | 'other';

/** What to enter where, with the names of the vendor's menus. */
export interface IdentityProvider {
  readonly id: ProviderId;
  readonly name: string;
  readonly about: string;
  /** The vendor's name of the base URL, and of the key. */
  readonly urlField: string;
  readonly keyField: string;
  readonly steps: readonly string[];
  readonly test: string;
}

export const IDENTITY_PROVIDERS: readonly IdentityProvider[] = [
  {
    id: 'okta',
    name: 'Okta',
    about: 'A SCIM 2.0 app with an OAuth bearer token',
    urlField: 'SCIM 2.0 Base URL',
    keyField: 'OAuth Bearer Token',
    steps: [
      'Applications → Browse App Catalog → “SCIM 2.0 Test App (OAuth Bearer Token)” → Add.',
      'Open Provisioning → Configure API Integration → Enable API integration, and enter the URL and the token from above.',
      'Choose Test API Credentials, then Save.',
      'Under To App, switch on Create Users, Update User Attributes and Deactivate Users.',
      'Assign a user under Assignments. Push groups under Push Groups → Find groups by name.',
    ],
    test: 'Test API Credentials',
  },
  {
    id: 'entra',
    name: 'Microsoft Entra ID',
    about: 'An enterprise application with automatic provisioning',
    urlField: 'Tenant URL',
    keyField: 'Secret Token',
    steps: [
      'Enterprise applications → New application → Create your own application.',
      'Open Provisioning, set the mode to Automatic, and enter the URL and the token from above.',
      'Choose Test Connection, then Save.',
      'Under Settings, choose the scope, and switch on “Prevent accidental deletion”.',
      'Try one user with Provision on demand, then choose Start provisioning.',
    ],
    test: 'Test Connection',
  },
  {
    id: 'google',
    name: 'Google Workspace',
    about: 'Automated user provisioning of a SAML app',
    urlField: 'Endpoint URL',
    keyField: 'Access token',
    steps: [
      'Admin console → Apps → Web and mobile apps → your SAML app → Auto-provisioning.',
      'Choose Configure auto-provisioning, and enter the access token and the endpoint URL from above.',
      'Keep the attribute mapping, and choose the groups that are in scope.',
      'Switch auto-provisioning on. Google sends users, but no groups: add members of rooms over the API, or by a connector.',
    ],
    test: 'auto-provisioning',
  },
  {
    id: 'keycloak',
    name: 'Keycloak',
    about: 'With a SCIM client extension',
    urlField: 'SCIM 2.0 endpoint',
    keyField: 'Bearer token',
    steps: [
      'Keycloak sends SCIM by an extension: install one in providers/, and run kc.sh build.',
      'Realm → User federation (or the extension’s own page) → add a SCIM 2.0 provider.',
      'Choose bearer authentication, and enter the URL and the token from above.',
      'Switch on user and group propagation, then Save.',
    ],
    test: 'the first synchronisation',
  },
  {
    id: 'authentik',
    name: 'authentik',
    about: 'A SCIM provider as a backchannel of an application',
    urlField: 'URL',
    keyField: 'Token',
    steps: [
      'Applications → Providers → Create → SCIM Provider, and enter the URL and the token from above.',
      'Applications → your application → Edit → Backchannel Providers: add the SCIM provider.',
      'Restrict the users and groups by the provider’s filter if you need to.',
      'Open the provider, and choose Run sync again.',
    ],
    test: 'Run sync again',
  },
  {
    id: 'other',
    name: 'Another provider',
    about: 'Anything that speaks SCIM 2.0',
    urlField: 'SCIM base URL',
    keyField: 'Bearer token',
    steps: [
      'Find “provisioning” or “SCIM” in the settings of its application.',
      'Enter the URL and the token from above; choose authentication by a bearer token or an HTTP header.',
      'Let it use userName as the unique identifier.',
      'Test the connection, then assign one user.',
    ],
    test: 'the connection test',
  },
];
