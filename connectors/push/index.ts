import {
  API_VERSION,
  defineConnector,
  durationField,
  type RunningConnector,
  SourceError,
  z,
} from '../../src/plugin/api.js';

/** People that clients upload, in the form of Microsoft's API-driven inbound provisioning. */
export default defineConnector({
  name: 'push',
  version: '1.0.0',
  apiVersion: API_VERSION,
  title: 'Uploads',
  description:
    'Receives users that scripts and integration platforms upload as SCIM bulk requests.',
  triedAgainst: 'description',
  receivesUploads: true,
  settings: z.strictObject({
    maxOperations: z.int().min(1).max(1_000).default(50).describe('The most people of one upload.'),
    settle: durationField('0s', '10m')
      .prefault('5s')
      .describe('How long after the last upload a run starts, so that it reads all of them.'),
  }),
  record: z.record(z.string(), z.json()),
  deltas: { reportsDeletions: false },
  mapping: {
    externalId: { path: 'externalId', required: true },
    userName: { path: 'userName | email', transform: ['trim'], required: true },
    displayName: 'displayName',
    'name.givenName': 'name.givenName',
    'name.familyName': 'name.familyName',
    email: { path: 'email', transform: ['trim', 'lower'] },
    'phoneNumbers.work': 'phones.work',
    'phoneNumbers.mobile': 'phones.mobile',
    title: 'title',
    preferredLanguage: 'preferredLanguage',
    locale: 'locale',
    timezone: 'timezone',
    'enterprise.employeeNumber': 'enterprise.employeeNumber',
    'enterprise.costCenter': 'enterprise.costCenter',
    'enterprise.organization': 'enterprise.organization',
    'enterprise.division': 'enterprise.division',
    'enterprise.department': 'enterprise.department',
    manager: 'enterprise.manager.value',
  },
  lifecycle: { status: { path: 'active', active: ['true'], inactive: ['false'], isStrict: true } },
  start: (): RunningConnector => ({
    check: () => Promise.resolve({ ok: true, message: 'It waits for uploads.' }),
    read: () => {
      throw new SourceError('config', 'The host reads the uploads itself.');
    },
  }),
});
