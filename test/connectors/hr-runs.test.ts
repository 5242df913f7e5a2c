import { afterEach, describe, expect, it } from 'vitest';
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
import type { Connector } from '../../src/plugin/api.js';
import { ConnectorWorld } from '../support/connector-world.js';
import { startBambooHr } from './bamboohr-server.js';
import { startEntra } from './entra-server.js';
import { startGoogle } from './google-server.js';
import { startHiBob } from './hibob-server.js';
import { startOkta } from './okta-server.js';
import { startPersonio } from './personio-server.js';
import { startSource, type TestedSource } from './start-source.js';
import { startSuccessFactors } from './successfactors-server.js';
import type { VendorServer } from './vendor-server.js';
import { startWorkday } from './workday-server.js';

/** A vendor's server with the fixture, and how Ada Lovelace leaves there. */
interface Vendor {
  readonly connector: Connector;
  readonly settings: Record<string, unknown>;
  readonly server: VendorServer;
  readonly leave: () => unknown;
  /** The attributes of Ada Lovelace that the default mapping sets. */
  readonly profile: object;
}

const ADA = 'ada.lovelace@example.com';
const GRACE = 'grace.hopper@example.com';
const LAST_DAY = '2026-11-20';
const MAPPED = {
  userName: ADA,
  name: { givenName: 'Ada', familyName: 'Lovelace' },
  title: 'Dispatcher',
};

const VENDORS: Readonly<Record<string, () => Promise<Vendor>>> = {
  bamboohr: async () => {
    const server = await startBambooHr(bambooEmployees);
    return {
      connector: bamboohr,
      server,
      settings: {
        companyDomain: 'acme',
        apiKey: server.settings.key,
        baseUrl: `${server.url}/api`,
      },
      leave: () => server.put({ eeid: '101', status: 'Inactive', terminationDate: LAST_DAY }),
      profile: { ...MAPPED, externalId: '101', enterprise: { department: 'Operations' } },
    };
  },
  personio: async () => {
    const server = await startPersonio(personioPersons);
    const { clientId, clientSecret } = server.settings;
    const [ada] = personioPersons;
    return {
      connector: personio,
      server,
      settings: { clientId, clientSecret, baseUrl: server.url },
      leave: () => {
        const employments = [
          { ...ada!.employments[0], status: 'INACTIVE', employment_end_date: LAST_DAY },
        ];
        server.put({ person: { ...ada!.person, status: 'INACTIVE' }, employments });
      },
      profile: { ...MAPPED, externalId: '7001' },
    };
  },
  hibob: async () => {
    const server = await startHiBob(bobPeople);
    const { serviceUserId, token } = server.settings;
    return {
      connector: hibob,
      server,
      settings: { serviceUserId, token, baseUrl: `${server.url}/v1` },
      leave: () => {
        const [ada, ...others] = bobPeople;
        const left = {
          'internal.lifecycleStatus': 'terminated',
          'internal.terminationDate': LAST_DAY,
        };
        server.settings.people = [{ ...ada!, fields: { ...ada!.fields, ...left } }, ...others];
      },
      profile: {
        ...MAPPED,
        externalId: '3332883884017713938',
        enterprise: { department: 'Operations' },
      },
    };
  },
  workday: async () => {
    const [ada, ...others] = report.Report_Entry;
    let rows: readonly object[] = report.Report_Entry;
    const server = await startWorkday(() => ({ body: { Report_Entry: rows } }));
    return {
      connector: workday,
      server,
      settings: server.settings,
      leave: () => {
        rows = [{ ...ada, Worker_Status: 'Terminated', Termination_Date: LAST_DAY }, ...others];
      },
      profile: { ...MAPPED, externalId: '21001', enterprise: { department: 'Operations' } },
    };
  },
  successfactors: async () => {
    const server = await startSuccessFactors(sfPersons);
    const [ada, ...others] = sfPersons;
    return {
      connector: successfactors,
      server,
      settings: server.configured,
      leave: () => {
        const employmentNav = ada!.employmentNav.map((one) => ({ ...one, endDate: LAST_DAY }));
        server.settings.people = [{ ...ada!, employmentNav }, ...others];
      },
      profile: {
        ...MAPPED,
        externalId: '5001',
        enterprise: { department: 'Operations', costCenter: '4711' },
      },
    };
  },
  google: async () => {
    const server = await startGoogle(googleUsers);
    const [ada, ...others] = googleUsers;
    return {
      connector: google,
      server,
      settings: server.configured,
      leave: () => (server.settings.users = [{ ...ada!, suspended: true }, ...others]),
      profile: {
        ...MAPPED,
        externalId: '100001',
        enterprise: { department: 'Operations', employeeNumber: 'E-1', costCenter: '4711' },
      },
    };
  },
  okta: async () => {
    const server = await startOkta(oktaUsers);
    const [ada, ...others] = oktaUsers;
    return {
      connector: okta,
      server,
      settings: server.configured,
      leave: () => (server.settings.users = [{ ...ada!, status: 'DEPROVISIONED' }, ...others]),
      profile: { ...MAPPED, externalId: '00u1', enterprise: { department: 'Operations' } },
    };
  },
  entra: async () => {
    const server = await startEntra(entraUsers);
    const [ada] = entraUsers;
    return {
      connector: entra,
      server,
      settings: server.configured,
      leave: () => server.put({ ...ada!, accountEnabled: false }),
      profile: {
        ...MAPPED,
        externalId: ada!.id,
        enterprise: { department: 'Operations' },
        phoneNumbers: [
          { type: 'work', value: '+49301234567' },
          { type: 'mobile', value: '+491701234567' },
        ],
      },
    };
  },
};

describe.each(Object.keys(VENDORS))('runs of the connector %s', (name) => {
  const stops: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });

  /** A tenant with the employees of the fixture. */
  const employed = async () => {
    const vendor = await VENDORS[name]!();
    const source: TestedSource = await startSource(vendor.connector, vendor.settings);
    stops.push(source.stop, vendor.server.stop);
    const world = new ConnectorWorld({}, vendor.connector);
    world.opened = source;
    expect(await world.run()).toMatchObject({ state: 'done', counts: { failed: 0 } });
    expect(world.active()).toEqual([ADA, GRACE]);
    return { vendor, world };
  };

  it('create users by the default mapping, and no future or former employees', async () => {
    const { vendor, world } = await employed();
    expect(world.user(ADA)?.profile).toMatchObject(vendor.profile);
    expect(world.user(ADA)?.profile.enterprise?.['manager']).toMatchObject({
      value: world.user(GRACE)?.id,
    });
    expect(await world.run()).toMatchObject({ state: 'done', counts: { applied: 0 } });
  });

  it('deactivate who has left', async () => {
    const { vendor, world } = await employed();
    vendor.leave();
    expect(await world.run()).toMatchObject({ state: 'done', counts: { applied: 1 } });
    expect(world.active()).toEqual([GRACE]);
  });
});
