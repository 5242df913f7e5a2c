import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import bamboohr from '../../connectors/bamboohr/index.js';
import entra from '../../connectors/entra/index.js';
import google from '../../connectors/google/index.js';
import hibob from '../../connectors/hibob/index.js';
import okta from '../../connectors/okta/index.js';
import personio from '../../connectors/personio/index.js';
import rest from '../../connectors/rest/index.js';
import successfactors from '../../connectors/successfactors/index.js';
import workday from '../../connectors/workday/index.js';
import type { Connector } from '../../src/plugin/api.js';
import { ConnectorWorld } from '../support/connector-world.js';
import { startBambooHr } from './bamboohr-server.js';
import { GONE, startEntra } from './entra-server.js';
import { startGoogle } from './google-server.js';
import { startHiBob } from './hibob-server.js';
import { startOkta } from './okta-server.js';
import { startPersonio } from './personio-server.js';
import { KEY, RECIPES, startRecipe } from './recipe-servers.js';
import { startSource } from './start-source.js';
import { startSuccessFactors } from './successfactors-server.js';
import { type JsonAnswer, tooMany, type VendorAnswer, type VendorServer } from './vendor-server.js';
import { startWorkday } from './workday-server.js';

/** Enough people that the limits are percentages. */
const PEOPLE = 24;
const PAGE = 8;
const NAMES = Array.from({ length: PEOPLE }, (_, at) => `P${String(at).padStart(2, '0')}`);
const mailOf = (name: string): string => `${name.toLowerCase()}@example.com`;

interface Vendor {
  readonly connector: Connector;
  readonly server: VendorServer;
  readonly settings: Record<string, unknown>;
  /** The requests for people, and where they are in the body. */
  readonly path: RegExp;
  readonly at: string;
  /** The requests for the members of a group; all people are in it. */
  readonly members?: { readonly path: RegExp; readonly at: string };
  readonly options?: object;
  /** Makes these pages empty, and moves their people to later ones. */
  readonly empty?: (pages: Set<number>) => void;
}

/** The built-in connectors that read over HTTP, and the recipes of `rest`. */
const VENDORS: Readonly<Record<string, () => Promise<Vendor>>> = {
  bamboohr: async () => {
    const server = await startBambooHr(
      NAMES.map((name, at) => ({
        ...{ eeid: String(at + 1), status: 'Active', email: mailOf(name), hireDate: '2020-01-01' },
      })),
    );
    const { key: apiKey } = server.settings;
    return {
      ...{ connector: bamboohr, server, path: /datasets\/employee\/data/, at: 'data' },
      settings: { companyDomain: 'acme', apiKey, baseUrl: `${server.url}/api` },
    };
  },
  personio: async () => {
    const server = await startPersonio(
      NAMES.map((name, at) => ({
        person: { id: String(at + 1), email: mailOf(name), status: 'ACTIVE' },
        employments: [{ id: `e${at}`, status: 'ACTIVE', employment_start_date: '2020-01-01' }],
      })),
    );
    const { clientId, clientSecret } = server.settings;
    return {
      ...{ connector: personio, server, path: /^\/v2\/persons$/, at: '_data' },
      settings: { clientId, clientSecret, baseUrl: server.url },
    };
  },
  hibob: async () => {
    const server = await startHiBob(
      NAMES.map((name, at) => ({
        form: 'nested',
        fields: {
          'root.id': String(at + 1),
          'root.email': mailOf(name),
          'internal.lifecycleStatus': 'employed',
        },
      })),
    );
    const { serviceUserId, token } = server.settings;
    return {
      ...{ connector: hibob, server, path: /people\/search/, at: 'employees' },
      settings: { serviceUserId, token, baseUrl: `${server.url}/v1` },
    };
  },
  workday: async () => {
    const rows = NAMES.map((name, at) => ({ Employee_ID: String(at + 1), Email: mailOf(name) }));
    const server = await startWorkday(() => ({ body: { Report_Entry: rows } }));
    return {
      ...{ connector: workday, server, path: /customreport2/, at: 'Report_Entry' },
      settings: server.settings,
    };
  },
  successfactors: async () => {
    const server = await startSuccessFactors(
      NAMES.map((name, at) => ({
        personIdExternal: String(at + 1),
        emailNav: [{ emailAddress: mailOf(name), isPrimary: true }],
        employmentNav: [
          {
            ...{ userId: `u${at}`, startDate: '2020-01-01', endDate: null },
            jobInfoNav: [{ startDate: '2020-01-01', emplStatusNav: { externalCode: 'A' } }],
          },
        ],
      })),
    );
    return {
      ...{ connector: successfactors, server, path: /odata/, at: 'd.results' },
      settings: server.configured,
      empty: (pages) => (server.settings.emptyPages = pages),
    };
  },
  google: async () => {
    const server = await startGoogle(
      NAMES.map((name, at) => ({ id: `g${at}`, primaryEmail: mailOf(name), suspended: false })),
    );
    const members = NAMES.map((_, at) => ({ id: `g${at}`, type: 'USER' }));
    server.settings.groups = [{ id: 'all', email: 'all@example.com', members }];
    server.settings.maxPage = PAGE;
    return {
      ...{ connector: google, server, path: /v1\/users$/, at: 'users' },
      settings: { ...server.configured, groups: { names: ['all@example.com'] } },
      empty: (pages) => (server.settings.emptyPages = pages),
      members: { path: /members$/, at: 'members' },
      options: { groups: [{ path: 'groups' }] },
    };
  },
  okta: async () => {
    const server = await startOkta(
      NAMES.map((name, at) => ({
        ...{ id: `o${at}`, status: 'ACTIVE', statusChanged: null },
        ...{ lastUpdated: '2026-01-01T00:00:00.000Z', profile: { login: mailOf(name) } },
      })),
    );
    server.settings.groups = [{ id: 'all', name: 'All', members: NAMES.map((_, at) => `o${at}`) }];
    server.settings.maxPage = PAGE;
    return {
      ...{ connector: okta, server, path: /v1\/users$/, at: '' },
      settings: { ...server.configured, groups: { names: ['All'] } },
      empty: (pages) => (server.settings.emptyPages = pages),
      members: { path: /groups\/all\/users$/, at: '' },
      options: { groups: [{ path: 'groups' }] },
    };
  },
  entra: async () => {
    const idOf = (at: number): string => `10000000-0000-4000-8000-${String(at).padStart(12, '0')}`;
    const server = await startEntra(
      NAMES.map((name, at) => ({
        ...{ id: idOf(at), userPrincipalName: mailOf(name), accountEnabled: true },
      })),
    );
    const members = NAMES.map((_, at) => idOf(at));
    server.settings.groups = [{ id: 'all', displayName: 'All', members }];
    server.settings.maxPage = PAGE;
    return {
      ...{ connector: entra, server, path: /v1\.0\/users$/, at: 'value' },
      settings: { ...server.configured, groups: { names: ['All'] } },
      members: { path: /transitiveMembers$/, at: 'value' },
      options: { groups: [{ path: 'groups' }] },
    };
  },
  ...Object.fromEntries(
    Object.keys(RECIPES).map((name) => [
      `rest: ${name}`,
      async (): Promise<Vendor> => {
        const server = await startRecipe(name, NAMES);
        const { settings: _settings, use: _use, tenant: _tenant, ...options } = RECIPES[name]!;
        const at = RECIPES[name]!.settings['people'] as { at: string };
        return {
          ...{ connector: rest, server, path: /./, at: at.at, options },
          settings: server.settingsWith(KEY),
        };
      },
    ]),
  ),
};

const IN_ONE_RESPONSE = new Set(['hibob', 'workday']);
const DIRECTORIES = new Set(['google', 'okta', 'entra']);
const WITH_EMPTY_PAGES = new Set(['successfactors', 'google', 'okta']);

type Items = readonly unknown[];

/** The body with another list at this path. */
const withList = (body: unknown, at: string, change: (list: Items) => Items): unknown => {
  if (at === '') return Array.isArray(body) ? change(body) : body;
  const [name = '', ...rest] = at.split('.');
  const object = body as Readonly<Record<string, unknown>>;
  return object[name] === undefined
    ? body
    : { ...object, [name]: withList(object[name], rest.join('.'), change) };
};

interface Target {
  readonly server: VendorServer;
  readonly path: RegExp;
  readonly at: string;
}

/** Breaks the answers for a path; the result repairs them. */
type Fault = (target: Target) => () => void;

const changed =
  (change: (list: Items) => Items): Fault =>
  ({ server, path, at }) =>
    server.alter(path, (answer) => ({ ...answer, body: withList(answer.body, at, change) }));

const always =
  (answer: VendorAnswer): Fault =>
  ({ server, path }) =>
    server.always(path, answer);

/** From the second page of each read on: a read of three pages begins again after it has failed. */
const later =
  (instead: (answer: JsonAnswer, first: JsonAnswer) => VendorAnswer): Fault =>
  ({ server, path }) => {
    let first: JsonAnswer | undefined;
    return server.alter(path, (answer) => {
      if (first) return instead(answer, first);
      first = answer;
      return answer;
    });
  };

/** About every second one, on whichever page they are. */
const isSeen = (item: unknown): boolean =>
  createHash('sha256').update(JSON.stringify(item)).digest()[0]! % 2 === 0;

const cut = (answer: JsonAnswer): VendorAnswer => {
  const text = JSON.stringify(answer.body);
  return {
    headers: { ...answer.headers, 'content-type': 'application/json' },
    body: text.slice(0, Math.floor(text.length / 2)),
  };
};

const FAULTS: Readonly<Record<string, Fault>> = {
  '429 for ever': always(tooMany()),
  '410': always(GONE),
  'credentials that have expired': always({ status: 401, body: {} }),
  'a body that is cut': ({ server, path }) => server.alter(path, cut),
  'permission for half of the people': changed((list) => list.filter(isSeen)),
};

const FAULTS_OF_PAGES: Readonly<Record<string, Fault>> = {
  '410 for a later page': later(() => GONE),
  'a later page that is cut': later(cut),
  'the first page again and again': later((_, first) => first),
  'empty pages with a next link, whose people are on no page': (target) => {
    let lost = 0;
    return changed((list) => {
      if (lost >= PEOPLE / 4) return list;
      lost += list.length;
      return [];
    })(target);
  },
};

describe.each(Object.keys(VENDORS))('nobody is deactivated by %s', (name) => {
  const stops: (() => unknown)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });

  const employed = async () => {
    const vendor = await VENDORS[name]!();
    const source = await startSource(vendor.connector, vendor.settings);
    stops.push(source.stop, vendor.server.stop);
    const world = new ConnectorWorld({ ...vendor.options }, vendor.connector, {
      roomProvisioning: 'automatic',
    });
    world.opened = {
      ...source,
      read: (request) => source.read({ ...request, pageSize: PAGE }),
    };
    expect(await world.run()).toMatchObject({ state: 'done', counts: { failed: 0 } });
    // In some recipes, one of them has left.
    expect(world.active().length).toBeGreaterThanOrEqual(PEOPLE - 1);
    return { vendor, world, active: world.active() };
  };

  /** No run is done while it lasts, nobody loses anything, and afterwards everything is as before. */
  const survives = async (fault: Fault, part: (vendor: Vendor) => Target) => {
    const { vendor, world, active } = await employed();
    const target = part(vendor);
    const before = world.effects.length;
    const groups = () =>
      world.commits.all('groups').map(({ displayName, memberCount }) => [displayName, memberCount]);
    const members = groups();
    if (vendor.members) expect(members).toMatchObject([[expect.any(String), PEOPLE]]);
    // Who is missing twice leaves.
    for (let run = 0; run < 2; run += 1) {
      const repair = fault(target);
      const { state } = await world.run();
      expect(['failed', 'held', 'superseded']).toContain(state);
      repair();
    }
    expect(world.active()).toEqual(active);
    expect(groups()).toEqual(members);
    expect(world.effects).toHaveLength(before);
    expect(await world.run()).toMatchObject({ state: 'done', counts: { applied: 0 } });
  };

  it.each(Object.entries(FAULTS))('%s', (_, fault) => survives(fault, (vendor) => vendor));

  if (!IN_ONE_RESPONSE.has(name))
    it.each(Object.entries(FAULTS_OF_PAGES))('%s', (_, fault) =>
      survives(fault, (vendor) => vendor),
    );

  if (DIRECTORIES.has(name))
    it.each(Object.entries({ ...FAULTS, ...FAULTS_OF_PAGES }))(
      '%s, in members of a group',
      (_, fault) => survives(fault, ({ server, members }) => ({ server, ...members! })),
    );

  if (WITH_EMPTY_PAGES.has(name))
    it('empty pages with a next link between the others', async () => {
      const { vendor, world, active } = await employed();
      vendor.empty?.(new Set([1, 3, 4]));
      expect(await world.run()).toMatchObject({ state: 'done', counts: { applied: 0 } });
      expect(world.active()).toEqual(active);
    });

  it('a token that ends while pages are read', async () => {
    const { vendor, world, active } = await employed();
    const { server, path } = vendor;
    let count = 0;
    stops.push(
      server.alter(path, (answer) => ((count += 1) === 1 ? { status: 401, body: {} } : answer)),
    );
    await world.run();
    expect(await world.run()).toMatchObject({ state: 'done', counts: { applied: 0 } });
    expect(world.active()).toEqual(active);
  });
});
