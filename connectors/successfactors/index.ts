import { defineConnector } from '../../src/plugin/api.js';
import { startVendorRest, type VendorApi } from '../rest/start-rest.js';
import { ENDED, PROPERTIES, recordOf, SuccessFactorsRecord } from './record.js';
import { signSamlAssertion } from './saml-assertion.js';
import { SuccessFactorsSettings } from './settings.js';

/** SAP SuccessFactors Employee Central, by OData v2: all people with all their employments. */
export default defineConnector<SuccessFactorsSettings>({
  apiVersion: 1,
  name: 'successfactors',
  version: '1.0.0',
  title: 'SAP SuccessFactors',
  description: 'Employees of SAP SuccessFactors Employee Central, by OData.',
  multiple: true,
  triedAgainst: 'description',
  settings: SuccessFactorsSettings,
  record: SuccessFactorsRecord,
  mapping: {
    externalId: { path: 'personIdExternal', required: true },
    userName: { path: 'email', transform: ['trim', 'lower'], required: true },
    'name.givenName': 'personal.preferredName | personal.firstName',
    'name.familyName': 'personal.lastName',
    title: 'job.jobTitle',
    'enterprise.department': 'job.departmentNav.name_localized | job.department',
    'enterprise.division': 'job.divisionNav.name_localized | job.division',
    'enterprise.costCenter': 'job.costCenter',
    manager: 'managerId',
  },
  lifecycle: {
    start: 'startDate',
    end: 'lastDay',
    status: { path: 'employmentStatus', inactive: ENDED },
  },
  start: (host) => {
    const { select, filter, checkTotal, pageSize } = host.settings;
    const properties = [...new Set([...PROPERTIES, ...select])];
    const entities = properties.flatMap((path) => path.split('/').slice(0, -1).join('/') || []);
    const query = {
      $format: 'json',
      $select: properties.join(','),
      $expand: [...new Set(entities)].join(','),
      // Without a range, only what is valid today is sent: no one who has left or is yet to start.
      ...{ fromDate: '1900-01-01', toDate: '9999-12-31' },
    };
    const everyone = { ...query, ...(filter !== '' && { $filter: filter }) };
    return startVendorRest(host, {
      auth: authOf(host.settings),
      settings: {
        baseUrl: host.settings.baseUrl,
        timeout: '5m',
        people: {
          path: '/odata/v2/PerPerson',
          // The list of people stays the same while it is read.
          query: {
            ...everyone,
            paging: 'snapshot',
            ...(checkTotal && { $inlinecount: 'allpages' }),
          },
          ...{ at: 'd.results', id: 'personIdExternal' },
          ...(checkTotal && { total: 'd.__count' }),
          required: ['email', 'employmentStatus'],
          one: {
            path: '/odata/v2/PerPerson',
            query: { ...query, $filter: "personIdExternal eq '{id}'" },
            at: 'd.results.0',
          },
        },
        paging: { by: 'link', at: 'd.__next' },
        pageSize: { parameter: 'customPageSize', value: pageSize },
        error: ['error.code', 'error.message.value'],
      },
      vendor: {
        name: 'SuccessFactors',
        hints: {
          400: 'Check the settings filter and select.',
          401: 'Check user, companyId and the credentials, and that the OAuth client is enabled.',
          403: 'Give the user the permission to read Employee Central by OData.',
        },
        record: recordOf,
        // SAP blocks users who begin snapshots and do not read on.
        checkQuery: { ...everyone, ...(checkTotal && { $inlinecount: 'allpages' }) },
      },
    });
  },
});

const authOf = (settings: SuccessFactorsSettings): VendorApi['auth'] => {
  const { user, companyId, password, clientId, privateKey, certificate } = settings;
  if (password) return { type: 'basic', user: `${user}@${companyId}`, password };
  const tokenUrl = `${settings.baseUrl.replace(/\/$/, '')}/oauth/token`;
  return {
    type: 'grant',
    tokenUrl,
    form: (now) => ({
      grant_type: 'urn:ietf:params:oauth:grant-type:saml2-bearer',
      company_id: companyId,
      client_id: clientId ?? '',
      assertion: signSamlAssertion({
        ...{ user, tokenUrl, certificate, now },
        clientId: clientId ?? '',
        privateKey: privateKey?.reveal() ?? '',
      }),
    }),
  };
};
