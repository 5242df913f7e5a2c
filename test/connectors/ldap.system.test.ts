import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Attribute, Change, Client } from 'ldapts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, ReadMessage, ReadRequest } from '../../src/plugin/api.js';
import { runConnectorContract } from '../../src/plugin/testing.js';
import ldap from '../../connectors/ldap/index.js';
import { normaliseDn } from '../../connectors/ldap/read-groups.js';
import { createAuthority } from '../../tools/shared/authority.js';
import { createCleanup, temporaryFolder } from '../../tools/shared/cleanup.js';
import {
  findSlapd,
  LDAP_ADMIN,
  LDAP_SUFFIX,
  type LdapServer,
  startLdapServer,
} from '../support/servers/ldap-server.js';
import { only, readAll, sourceHost } from './network-source-host.js';

const FIXTURE = new URL('../../connectors/ldap/fixtures/people.ldif', import.meta.url);
const PEOPLE = `ou=people,${LDAP_SUFFIX}`;
const GROUPS = `ou=groups,${LDAP_SUFFIX}`;
const READER = { dn: `cn=reader,${LDAP_SUFFIX}`, password: 'reader secret' };
const CROWD = 250;

const person = (at: number): string =>
  `\ndn: uid=u${at},ou=crowd,${LDAP_SUFFIX}\nobjectClass: inetOrgPerson\nuid: u${at}\n` +
  `cn: User ${at}\nsn: Nr${at}\nmail: u${at}@example.com\n`;

const LDIF = [
  readFileSync(FIXTURE, 'utf8'),
  `\ndn: ${READER.dn}\nobjectClass: organizationalRole\nobjectClass: simpleSecurityObject\n` +
    `cn: reader\nuserPassword: ${READER.password}\n`,
  `\ndn: ou=crowd,${LDAP_SUFFIX}\nobjectClass: organizationalUnit\nou: crowd\n`,
  ...Array.from({ length: CROWD }, (_, at) => person(at)),
  // Another server holds this part.
  `\ndn: ou=partly,${LDAP_SUFFIX}\nobjectClass: organizationalUnit\nou: partly\n`,
  `\ndn: uid=here,ou=partly,${LDAP_SUFFIX}\nobjectClass: inetOrgPerson\nuid: here\ncn: H\nsn: H\n`,
  `\ndn: ou=elsewhere,ou=partly,${LDAP_SUFFIX}\nobjectClass: referral\nobjectClass: extensibleObject\n` +
    `ou: elsewhere\nref: ldap://other.example.com/ou=elsewhere\n`,
  // As Active Directory describes people.
  `\ndn: ou=ad,${LDAP_SUFFIX}\nobjectClass: organizationalUnit\nou: ad\n`,
  ...(
    [
      ['ann', 512, '9223372036854775807'],
      ['bob', 514, '0'],
      // 2026-12-31T23:00:00Z: the end of 31 December in Berlin.
      ['cem', 66048, '134432316000000000'],
    ] as const
  ).map(
    ([name, control, expires], at) =>
      `\ndn: cn=${name},ou=ad,${LDAP_SUFFIX}\nobjectClass: inetOrgPerson\nobjectClass: adUser\n` +
      `cn: ${name}\nsn: ${name}\nsAMAccountName: ${name}\nuserPrincipalName: ${name}@corp.example.com\n` +
      `userAccountControl: ${control}\naccountExpires: ${expires}\nuSNChanged: ${1000 + at}\n` +
      `objectGUID:: ${Buffer.from(`00112233445566778899aabbccddeef${at}`, 'hex').toString('base64')}\n`,
  ),
].join('');

/** Attributes of Active Directory (MS-ADA), under other OIDs. */
const AD_SCHEMA = [
  ['sAMAccountName', '1.3.6.1.4.1.1466.115.121.1.15', 'caseIgnoreMatch'],
  ['userPrincipalName', '1.3.6.1.4.1.1466.115.121.1.15', 'caseIgnoreMatch'],
  ['userAccountControl', '1.3.6.1.4.1.1466.115.121.1.27', 'integerMatch'],
  ['accountExpires', '1.3.6.1.4.1.1466.115.121.1.27', 'integerMatch'],
  ['uSNChanged', '1.3.6.1.4.1.1466.115.121.1.27', 'integerMatch ORDERING integerOrderingMatch'],
  ['objectGUID', '1.3.6.1.4.1.1466.115.121.1.40', 'octetStringMatch'],
]
  .map(
    ([name, syntax, equality], at) =>
      `attributetype ( 1.1.2.1.${at} NAME '${name}' EQUALITY ${equality} SYNTAX ${syntax} SINGLE-VALUE )`,
  )
  .concat(
    "objectclass ( 1.1.2.2.1 NAME 'adUser' AUXILIARY MAY ( sAMAccountName $ userPrincipalName $ " +
      'userAccountControl $ accountExpires $ uSNChanged $ objectGUID ) )',
  )
  .join('\n');

const LIMITS = (total: string): string =>
  `limits * size.soft=50 size.hard=100 size.pr=unlimited size.prtotal=${total}`;

const slapd = await findSlapd();
const servers = createCleanup();
const cleanup = createCleanup();
afterAll(servers.run);
afterEach(cleanup.run);

describe('normaliseDn', () => {
  it.each([
    ['CN=Ann, OU=x', 'cn=ann,ou=x'],
    ['cn = Ann Lee  ,ou=x', 'cn=ann lee,ou=x'],
    ['cn=Lee\\, Ann,ou=x', 'cn=lee\\, ann,ou=x'],
    ['cn=Ann\\ , ou=x', 'cn=ann\\ ,ou=x'],
    ['cn=Lee\\2C Ann,ou=x', 'cn=lee\\, ann,ou=x'],
    ['cn=M\\C3\\BCller,ou=x', 'cn=müller,ou=x'],
    ['cn=\\41nn,ou=x', 'cn=ann,ou=x'],
    ['cn=a\\\\41,ou=x', 'cn=a\\\\41,ou=x'],
    ['cn=a\\5C41,ou=x', 'cn=a\\\\41,ou=x'],
  ])('writes %s as %s', (given, expected) => {
    expect(normaliseDn(given)).toBe(expected);
  });

  it('takes time in proportion to the length', () => {
    expect(normaliseDn(`cn=${' '.repeat(300_000)}x`)).toBe('cn=x');
    expect(normaliseDn(`cn=a${' '.repeat(300_000)}x`)).toHaveLength(300_005);
  });
});

describe.skipIf(!slapd)('the ldap connector on OpenLDAP', () => {
  let server: LdapServer;
  let admin: Client;
  beforeAll(async () => {
    if (!slapd) return;
    const config = LIMITS('unlimited');
    server = await startLdapServer(slapd, servers, { ldif: LDIF, config, schema: AD_SCHEMA });
    admin = new Client({ url: server.url });
    await admin.bind(LDAP_ADMIN.dn, LDAP_ADMIN.password);
    servers.defer(() => admin.unbind());
  });

  const settingsOf = (settings: object = {}) => ({
    url: server.url,
    startTls: false,
    bindDn: READER.dn,
    password: READER.password,
    base: PEOPLE,
    ...settings,
  });

  const hostOf = (settings: object = {}, now?: Date) =>
    sourceHost(ldap, settingsOf(settings), now && { now });

  const read = (
    settings: object = {},
    request: Partial<ReadRequest> = {},
  ): Promise<ReadMessage[]> => readAll(ldap, hostOf(settings), request);

  const recordsOf = (messages: readonly ReadMessage[]): readonly JsonObject[] =>
    only('record', messages).map(({ data }) => data);

  const uidsOf = (messages: readonly ReadMessage[]): unknown[] =>
    recordsOf(messages)
      .map(({ uid }) => uid)
      .sort();

  const cursorOf = (messages: readonly ReadMessage[]) =>
    only('complete', messages)[0]?.cursor ?? null;

  const faultOf = async (settings: object, request: Partial<ReadRequest> = {}) => {
    const messages: ReadMessage[] = [];
    const host = hostOf(settings);
    const fault: unknown = await readAll(ldap, host, request, messages).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(only('complete', messages)).toEqual([]);
    expect(host.logged.join()).not.toContain(READER.password);
    expect(host.sockets.every(({ destroyed }) => destroyed)).toBe(true);
    return fault as { readonly kind?: string; readonly message?: string };
  };

  describe('the contract', () => {
    const replace = (dn: string, type: string, value: string): Promise<void> =>
      admin.modify(
        dn,
        new Change({
          operation: 'replace',
          modification: new Attribute({ type, values: [value] }),
        }),
      );
    const cases = runConnectorContract(ldap, {
      // The cookie of a page belongs to its connection (RFC 2696, 3).
      canContinue: false,
      settings: () => settingsOf({ groups: { base: GROUPS } }),
      badSettings: () => settingsOf({ password: 'not the password' }),
      breakages: {
        'a reader who may see nothing': async () => {
          await admin.modifyDN(READER.dn, 'cn=other');
          return () => admin.modifyDN(`cn=other,${LDAP_SUFFIX}`, 'cn=reader');
        },
        'a base that is gone': async () => {
          await admin.modifyDN(PEOPLE, 'ou=others');
          return () => admin.modifyDN(`ou=others,${LDAP_SUFFIX}`, 'ou=people');
        },
      },
      change: async () => {
        const ids = recordsOf(await read({ filter: '(uid=chloe)' })).map(({ id }) => id as string);
        await replace(`uid=chloe,${PEOPLE}`, 'title', 'Driver, nights');
        return { changed: ids, undo: () => replace(`uid=chloe,${PEOPLE}`, 'title', 'Driver') };
      },
    });
    for (const { title, run } of cases) it(title, run);
  });

  it('reads the people of its fixture, with managers by id', async () => {
    const records = recordsOf(await read());
    const byUid = new Map(records.map((record) => [record.uid, record]));
    const ada = byUid.get('ada');
    expect(byUid.get('bjorn')).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      dn: `uid=bjorn,${PEOPLE}`,
      uid: 'bjorn',
      cn: 'Björn Šimić',
      sn: 'Šimić',
      givenName: 'Björn',
      mail: 'bjorn.simic@example.com',
      title: 'Dispatcher',
      ou: 'Dispatch',
      employeeNumber: '1002',
      managerId: ada?.id,
    });
    for (const record of records) ldap.record.parse(record);
  });

  it('reads the same twice', async () => {
    expect(recordsOf(await read())).toEqual(recordsOf(await read()));
  });

  it('reads all pages, although the server limits other searches', async () => {
    const messages = await read({ base: `ou=crowd,${LDAP_SUFFIX}` }, { pageSize: 100 });
    expect(new Set(uidsOf(messages)).size).toBe(CROWD);
    expect(only('complete', messages)).toHaveLength(1);
  });

  it('keeps the id of a person who is renamed', async () => {
    const idOfEsi = async (uid: string) =>
      recordsOf(await read()).find((record) => record.uid === uid)?.id;
    const before = await idOfEsi('esi');
    await admin.modifyDN(`uid=esi,${PEOPLE}`, 'uid=esi2');
    expect(await idOfEsi('esi2')).toBe(before);
    await admin.modifyDN(`uid=esi2,${PEOPLE}`, 'uid=esi');
  });

  it('reads one value of an attribute, or a list if the settings say so', async () => {
    const [plain] = recordsOf(await read({ filter: '(uid=daan)' }));
    expect(plain?.mail).toBe('daan@example.com');
    const [message] = only('record', await read({ filter: '(uid=daan)' }));
    expect(message?.alternatives).toEqual({ mail: ['daan@example.com', 'd.visser@example.com'] });
    const [listed] = recordsOf(await read({ filter: '(uid=daan)', lists: ['mail', 'title'] }));
    expect(listed).toMatchObject({
      mail: ['d.visser@example.com', 'daan@example.com'],
      title: ['Driver'],
    });
  });

  it('reads groups of groups, also in a circle', async () => {
    const groups = { base: GROUPS };
    const groupsOf = async (nested: boolean): Promise<object> => {
      const records = recordsOf(await read({ groups: { ...groups, nested } }));
      return Object.fromEntries(records.map(({ uid, groups: names }) => [uid as string, names]));
    };
    expect(await groupsOf(true)).toEqual({
      ada: ['Everyone', 'Operations'],
      bjorn: ['Dispatch', 'Everyone', 'Operations'],
      chloe: ['Circle A', 'Circle B', 'Drivers', 'Everyone', 'Operations'],
      daan: ['Drivers', 'Everyone', 'Operations', 'legacy'],
      esi: [],
    });
    expect(await groupsOf(false)).toMatchObject({
      bjorn: ['Dispatch'],
      chloe: ['Circle A', 'Drivers'],
      daan: ['Drivers', 'legacy'],
    });
  });

  it('reads only the requested people', async () => {
    const all = only('record', await read());
    const wanted = all.slice(1, 3);
    const ids = [...wanted.map(({ id }) => id), crypto.randomUUID(), 'no id)(uid=*'];
    const messages = await read({}, { ids });
    expect(only('record', messages)).toEqual(wanted);
    expect(messages.at(-1)).toEqual({ type: 'complete', cursor: null });
  });

  describe('a delta', () => {
    const replace = (uid: string, type: string, value: string): Promise<void> =>
      admin.modify(
        `uid=${uid},${PEOPLE}`,
        new Change({
          operation: 'replace',
          modification: new Attribute({ type, values: [value] }),
        }),
      );

    it('reads what changed since the last read, and continues from there', async () => {
      const cursor = { since: new Date(Date.now() + 3_600_000).toISOString() };
      expect(recordsOf(await read({}, { mode: 'delta', cursor }))).toEqual([]);
      await replace('bjorn', 'title', `Dispatcher ${Date.now()}`);
      const since = new Date(Date.now() - 2_000).toISOString();
      const messages = await read({}, { mode: 'delta', cursor: { since } });
      expect(uidsOf(messages)).toContain('bjorn');
      await replace('bjorn', 'title', 'Dispatcher');
    });

    it('starts five minutes before the read, or the newest change that it saw', async () => {
      const now = new Date(Date.now() + 3_600_000);
      const ahead = await readAll(ldap, hostOf({}, now));
      const { since } = cursorOf(ahead) as { readonly since: string };
      expect(Date.parse(since)).toBeLessThan(Date.now() - 290_000);
      const past = new Date('2020-01-01T00:00:00Z');
      expect(cursorOf(await readAll(ldap, hostOf({}, past)))).toEqual({
        since: '2019-12-31T23:55:00.000Z',
      });
    });

    it('never goes back', async () => {
      const cursor = { since: new Date(Date.now() + 3_600_000).toISOString() };
      expect(cursorOf(await read({}, { mode: 'delta', cursor }))).toEqual(cursor);
    });

    it('reads everybody if a group has changed, or if its cursor is of no use', async () => {
      const groups = { base: GROUPS };
      const all = recordsOf(await read({ groups }));
      const future = { since: new Date(Date.now() + 3_600_000).toISOString() };
      expect(recordsOf(await read({ groups }, { mode: 'delta', cursor: future }))).toEqual([]);
      await admin.modify(
        `cn=Dispatch,${GROUPS}`,
        new Change({
          operation: 'replace',
          modification: new Attribute({ type: 'description', values: [String(Date.now())] }),
        }),
      );
      const recent = { since: new Date(Date.now() - 2_000).toISOString() };
      for (const cursor of [recent, null, 'nonsense'])
        expect(recordsOf(await read({ groups }, { mode: 'delta', cursor }))).toEqual(all);
    });
  });

  describe('Active Directory', () => {
    const ad = {
      directory: 'active-directory',
      filter: '(objectClass=adUser)',
      timeZone: 'Europe/Berlin',
    };

    it('reads ids, disabled accounts and the day on which they expire', async () => {
      const base = `ou=ad,${LDAP_SUFFIX}`;
      const messages = await read({ ...ad, base });
      expect(recordsOf(messages)).toMatchObject([
        {
          id: '33221100-5544-7766-8899-aabbccddeef0',
          userPrincipalName: 'ann@corp.example.com',
          accountStatus: 'enabled',
        },
        { id: '33221100-5544-7766-8899-aabbccddeef1', accountStatus: 'disabled' },
        { accountStatus: 'enabled', endDate: '2026-12-31' },
      ]);
      expect(recordsOf(messages).filter(({ endDate }) => endDate !== undefined)).toHaveLength(1);
      const ids = ['33221100-5544-7766-8899-aabbccddeef1'];
      expect(recordsOf(await read({ ...ad, base }, { ids }))).toMatchObject([{ cn: 'bob' }]);
    });
  });

  describe('a part of the people', () => {
    it('is never complete at a size limit', async () => {
      if (!slapd) return;
      const limited = await startLdapServer(slapd, cleanup, {
        ldif: LDIF,
        config: LIMITS('100'),
        schema: AD_SCHEMA,
      });
      const fault = await faultOf(
        { url: limited.url, base: `ou=crowd,${LDAP_SUFFIX}` },
        { pageSize: 40 },
      );
      expect(fault.kind).toBe('config');
      expect(fault.message).toContain('returned only a part of the entries');
    });

    it('is never complete after a referral, unless the operator says so', async () => {
      const base = `ou=partly,${LDAP_SUFFIX}`;
      const fault = await faultOf({ base });
      expect(fault.message).toContain('Another server holds a part');
      expect(uidsOf(await read({ base, referrals: 'ignore' }))).toEqual(['here']);
    });

    it('is never complete if the connection breaks', async () => {
      const host = hostOf({ base: `ou=crowd,${LDAP_SUFFIX}` });
      const running = await ldap.start(host);
      const { signal } = new AbortController();
      const messages: ReadMessage[] = [];
      const reading = async (): Promise<void> => {
        const request = {
          mode: 'full',
          cursor: null,
          isResumed: false,
          pageSize: 20,
          signal,
        } as const;
        for await (const message of running.read(request)) {
          messages.push(message);
          if (messages.length === 30) for (const socket of host.sockets) socket.destroy();
        }
      };
      await expect(reading()).rejects.toMatchObject({ kind: 'network' });
      expect(only('complete', messages)).toEqual([]);
      expect(host.sockets).toHaveLength(1);
    });

    it('is never complete if the server is killed', async () => {
      if (!slapd) return;
      const doomed = await startLdapServer(slapd, cleanup, {
        ldif: LDIF,
        config: LIMITS('unlimited'),
        schema: AD_SCHEMA,
      });
      const running = await ldap.start(
        hostOf({ url: doomed.url, base: `ou=crowd,${LDAP_SUFFIX}` }),
      );
      const { signal } = new AbortController();
      const messages: ReadMessage[] = [];
      const reading = async (): Promise<void> => {
        const request = {
          mode: 'full',
          cursor: null,
          isResumed: false,
          pageSize: 20,
          signal,
        } as const;
        for await (const message of running.read(request)) {
          messages.push(message);
          if (messages.length === 30) await doomed.kill();
        }
      };
      await expect(reading()).rejects.toMatchObject({ kind: 'network' });
      expect(only('complete', messages)).toEqual([]);
    });
  });

  it('ends between two people if it is aborted', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const running = await ldap.start(hostOf({ base: `ou=crowd,${LDAP_SUFFIX}` }));
    const messages = running.read({
      mode: 'full',
      cursor: null,
      isResumed: false,
      pageSize: 1,
      signal,
    });
    const reading = messages[Symbol.asyncIterator]();
    await reading.next();
    controller.abort(new Error('The run has ended.'));
    await expect(reading.next().then(() => reading.next())).rejects.toThrow('The run has ended.');
  });

  it('explains fields to an operator', async () => {
    const running = await ldap.start(hostOf({ groups: { base: GROUPS } }));
    const { signal } = new AbortController();
    expect(await running.check(signal)).toMatchObject({ ok: true });
    const paths = (await running.discover?.(signal))?.map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(['mail', 'managerId', 'groups']));
  });

  it.each([
    ['a wrong password', { password: 'wrong' }, 'auth', 'Check the password'],
    ['an unknown base', { base: 'ou=nowhere,dc=example,dc=com' }, 'config', 'Check `base`'],
    ['a base without people', { base: GROUPS }, 'config', 'There are no people below'],
    ['a broken filter', { filter: '(uid=)(' + ')' }, 'config', 'filter'],
    [
      'an id that is missing',
      { directory: 'active-directory', filter: '(uid=*)' },
      'permission',
      'no objectGUID',
    ],
    ['a server without TLS', { startTls: true }, 'network', 'ldap://'],
  ])('says what to do about %s', async (_name, settings, kind, message) => {
    const running = await ldap.start(hostOf(settings));
    const result = await running.check(new AbortController().signal);
    expect(result).toMatchObject({ ok: false, kind });
    expect(result.message).toContain(message);
  });
});

describe.skipIf(!slapd)('an encrypted connection', () => {
  const start = async (scheme: 'ldap' | 'ldaps') => {
    if (!slapd) throw new Error('There is no slapd.');
    const authority = await createAuthority();
    const ca = join(await temporaryFolder('ca', cleanup), 'ca.pem');
    await writeFile(ca, authority.certificate);
    const identity = await authority.issue(['127.0.0.1']);
    const server = await startLdapServer(slapd, cleanup, {
      ldif: LDIF,
      schema: AD_SCHEMA,
      identity,
      scheme,
    });
    const settings = {
      url: server.url,
      bindDn: READER.dn,
      password: READER.password,
      base: PEOPLE,
    };
    return { settings, ca };
  };

  it.each(['ldap', 'ldaps'] as const)('is verified [%s]', async (scheme) => {
    const { settings, ca } = await start(scheme);
    const host = sourceHost(ldap, { ...settings, ca });
    expect(only('record', await readAll(ldap, host))).toHaveLength(5);
    expect(host.sockets.every(({ destroyed }) => destroyed)).toBe(true);
    await expect(readAll(ldap, sourceHost(ldap, settings))).rejects.toMatchObject({
      kind: 'config',
      message: expect.stringContaining('is not trusted') as string,
    });
    const otherName = settings.url.replace('127.0.0.1', 'localhost');
    await expect(
      readAll(ldap, sourceHost(ldap, { ...settings, ca, url: otherName })),
    ).rejects.toMatchObject({ kind: 'config' });
  });
});

describe('the settings', () => {
  const settings = { url: 'ldap://h', bindDn: 'cn=a', password: 'p', base: 'dc=x' };

  it.each([
    [{ url: 'https://h' }, 'expected ldap://HOST'],
    [{ filter: 'uid=*' }, 'in parentheses'],
    [{ timeZone: 'Mars/Olympus' }, 'expected a time zone'],
  ])('refuses %j', (broken, message) => {
    const { error } = ldap.settings?.safeParse({ ...settings, ...broken }) ?? {};
    expect(error?.issues.map((issue) => issue.message).join()).toContain(message);
  });

  it('checks the CA file before a start', () => {
    const parsed = ldap.settings?.parse({ ...settings, ca: '/nowhere/ca.pem' });
    expect(ldap.checkFiles?.(parsed, '.')).toMatchObject([
      { message: expect.stringContaining('Cannot read CA file') as string },
    ]);
  });
});
