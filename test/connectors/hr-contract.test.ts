import { afterAll, describe, it } from 'vitest';
import bambooEmployees from '../../connectors/bamboohr/fixtures/employees.json' with { type: 'json' };
import bamboohr from '../../connectors/bamboohr/index.js';
import entraUsers from '../../connectors/entra/fixtures/users.json' with { type: 'json' };
import entra from '../../connectors/entra/index.js';
import googleUsers from '../../connectors/google/fixtures/users.json' with { type: 'json' };
import google from '../../connectors/google/index.js';
import bobPeople from '../../connectors/hibob/fixtures/people.json' with { type: 'json' };
import hibob from '../../connectors/hibob/index.js';
import oktaUsers from '../../connectors/okta/fixtures/users.json' with { type: 'json' };
import okta from '../../connectors/okta/index.js';
import personioPersons from '../../connectors/personio/fixtures/persons.json' with { type: 'json' };
import personio from '../../connectors/personio/index.js';
import sfPersons from '../../connectors/successfactors/fixtures/persons.json' with { type: 'json' };
import successfactors from '../../connectors/successfactors/index.js';
import report from '../../connectors/workday/fixtures/report.json' with { type: 'json' };
import workday from '../../connectors/workday/index.js';
import { type ConnectorContractOptions, runConnectorContract } from '../../src/plugin/testing.js';
import { startBambooHr } from './bamboohr-server.js';
import { startEntra } from './entra-server.js';
import { startGoogle } from './google-server.js';
import { startHiBob } from './hibob-server.js';
import { startOkta } from './okta-server.js';
import { startPersonio } from './personio-server.js';
import { startSuccessFactors } from './successfactors-server.js';
import { tooMany, type VendorAnswer, type VendorServer } from './vendor-server.js';
import { REPORT_PATH, startWorkday } from './workday-server.js';

const stops: (() => Promise<void>)[] = [];
afterAll(async () => {
  await Promise.all(stops.map((stop) => stop()));
});

/** What the suite can do with each of the vendors' servers. `read`: the requests for records. */
const onServer = (
  server: VendorServer,
  read: RegExp,
  signIn: RegExp,
): Pick<ConnectorContractOptions, 'limitOnce' | 'breakages' | 'hang' | 'signIns'> => {
  stops.push(server.stop);
  const always = (path: RegExp, answer: VendorAnswer) => () => server.always(path, answer);
  return {
    signIns: () => server.requests.filter(({ path }) => signIn.test(path)).length,
    limitOnce: (retryAfter) => server.interrupt(tooMany({ 'retry-after': retryAfter })),
    hang: always(/./, () => new Promise(() => undefined)),
    breakages: {
      'a status 500': always(read, { status: 500 }),
      'a status 503 for ever': always(read, { status: 503 }),
      'a response that is cut': always(read, { body: '{"employees": [{"id": "1", "' }),
      'another form': always(read, { body: { rows: [] } }),
      'a page of a proxy': always(read, { body: '<html>Sign in</html>' }),
      'no permission': always(read, { status: 403 }),
      'a connection that breaks': always(read, async (response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '9999' });
        await new Promise((resolve) => response.write('{"employees": [', resolve));
        response.destroy();
      }),
    },
  };
};

const suite = (name: string, cases: ReturnType<typeof runConnectorContract>): void => {
  describe(`the connector ${name}`, () => {
    for (const { title, run } of cases) it(title, run);
  });
};

const bamboo = await startBambooHr(bambooEmployees);
const bambooSettings = () => ({
  companyDomain: 'acme',
  apiKey: bamboo.settings.key,
  baseUrl: `${bamboo.url}/api`,
});
suite(
  'bamboohr',
  runConnectorContract(bamboohr, {
    ...onServer(bamboo, /datasets\/employee\/data/, /./),
    settings: bambooSettings,
    badSettings: () => ({ ...bambooSettings(), apiKey: 'another-key-of-someone' }),
    ids: ['101', '102', '103', '104'],
    change: () => {
      bamboo.settings.now = '2026-11-22T13:00:00+00:00';
      bamboo.put({ eeid: '101', lastName: 'King' });
      bamboo.delete('104');
      return {
        changed: ['101'],
        deleted: ['104'],
        undo: () => {
          for (const employee of bambooEmployees) bamboo.put(employee);
        },
      };
    },
  }),
);

const persons = await startPersonio(personioPersons);
const personioSettings = () => ({
  clientId: persons.settings.clientId,
  clientSecret: persons.settings.clientSecret,
  baseUrl: persons.url,
});
suite(
  'personio',
  runConnectorContract(personio, {
    ...onServer(persons, /^\/v2\/persons/, /token/),
    settings: personioSettings,
    badSettings: () => ({ ...personioSettings(), clientSecret: 'another-client-secret' }),
    ids: ['7001', '7002', '7003', '7004'],
    change: () => {
      const [first] = personioPersons;
      const now = persons.settings.now;
      persons.settings.now = new Date().toISOString();
      persons.put({ ...first!, person: { ...first!.person, last_name: 'King' } });
      persons.settings.now = now;
      return { changed: ['7001'], undo: () => persons.put(first!) };
    },
  }),
);

const bob = await startHiBob(bobPeople);
const bobSettings = () => ({
  serviceUserId: bob.settings.serviceUserId,
  token: bob.settings.token,
  baseUrl: `${bob.url}/v1`,
});
suite(
  'hibob',
  runConnectorContract(hibob, {
    ...onServer(bob, /people\/search/, /./),
    settings: bobSettings,
    canContinue: false,
    // Once: the address is blocked after three failures.
    badSettings: () => ({ ...bobSettings(), token: 'another-token-of-someone' }),
  }),
);

const workers = await startWorkday(() => ({ body: report }));
suite(
  'workday',
  runConnectorContract(workday, {
    ...onServer(workers, new RegExp(REPORT_PATH), /./),
    settings: () => workers.settings,
    canContinue: false,
    badSettings: () => ({ ...workers.settings, password: 'another-password' }),
  }),
);

const workspace = await startGoogle(googleUsers);
suite(
  'google',
  runConnectorContract(google, {
    ...onServer(workspace, /directory\/v1\/users/, /token/),
    settings: () => workspace.configured,
    badSettings: () => ({ ...workspace.configured, administrator: 'another@example.com' }),
    ids: googleUsers.map(({ id }) => id),
  }),
);

const org = await startOkta(oktaUsers);
suite(
  'okta',
  runConnectorContract(okta, {
    ...onServer(org, /v1\/users/, /./),
    settings: () => org.configured,
    badSettings: () => ({ ...org.configured, token: 'another-token-of-someone' }),
    ids: oktaUsers.map(({ id }) => id),
    change: () => {
      const [ada, ...others] = oktaUsers;
      const lastUpdated = new Date().toISOString();
      org.settings.users = [{ ...ada!, lastUpdated }, ...others];
      return { changed: [ada!.id], undo: () => (org.settings.users = oktaUsers) };
    },
  }),
);

const directory = await startEntra(entraUsers);
suite(
  'entra',
  runConnectorContract(entra, {
    ...onServer(directory, /v1\.0\/users/, /token/),
    settings: () => ({ ...directory.configured, guests: true }),
    badSettings: () => ({ ...directory.configured, clientSecret: 'another-client-secret' }),
    ids: entraUsers.map(({ id }) => id),
    change: () => {
      const [ada, , alan] = entraUsers;
      directory.put({ ...ada!, surname: 'King' }, ['surname']);
      directory.remove(alan!.id);
      return {
        changed: [ada!.id],
        deleted: [alan!.id],
        undo: () => {
          for (const user of entraUsers) directory.put(user);
        },
      };
    },
  }),
);

const central = await startSuccessFactors(sfPersons);
suite(
  'successfactors',
  runConnectorContract(successfactors, {
    ...onServer(central, /odata/, /token/),
    settings: () => central.configured,
    badSettings: () => ({ ...central.configured, clientId: 'another-api-key-of-someone' }),
    ids: sfPersons.map(({ personIdExternal }) => personIdExternal),
  }),
);
