import {
  checkSource,
  type ConnectorHost,
  fieldsOfRecords,
  type RunningConnector,
  SourceError,
  type z,
} from '../../src/plugin/api.js';
import { type Api, type Auth, sourceOf, type Vendor } from './api.js';
import { readFirstPage, readPeople } from './read-people.js';
import { createSender } from './send.js';
import { RestSettings } from './settings.js';

/** Starts a connector for an API. */
export const startRest = (host: ConnectorHost<Api>): RunningConnector => {
  const sender = createSender(host);
  const source = sourceOf(host.settings);
  return {
    check: (signal) =>
      checkSource(async () => {
        const records = await readFirstPage(host, sender, signal);
        if (records.length > 0)
          return `${source} lists people with ${fieldsOfRecords(records).length} fields.`;
        throw new SourceError(
          'permission',
          `${source} lists no people. Check ${host.settings.vendor ? '' : '`people`, and '}what the ` +
            'credentials may read.',
        );
      }),
    discover: async (signal) =>
      fieldsOfRecords(await readFirstPage(host, sender, signal)).map(({ path, type }) => ({
        path,
        type,
      })),
    read: (request) => readPeople(host, sender, request),
  };
};

/** An API of a vendor: settings of `rest` without those of `auth`, and what the vendor's connector adds. */
export interface VendorApi {
  readonly settings: Omit<z.input<typeof RestSettings>, 'auth'>;
  readonly auth: Auth;
  readonly vendor: Vendor;
}

/** Starts a vendor's connector, whose own settings are those of the host. */
export const startVendorRest = (
  host: ConnectorHost,
  { settings, auth, vendor }: VendorApi,
): RunningConnector =>
  startRest({ ...host, settings: { ...RestSettings.parse(settings), auth, vendor } });
