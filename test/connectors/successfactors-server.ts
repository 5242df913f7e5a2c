import { Buffer } from 'node:buffer';
import { createHash, createVerify, generateKeyPairSync } from 'node:crypto';
import { hasBasic, startVendor, type VendorAnswer, type VendorRequest } from './vendor-server.js';

/** A person with lists for navigations and ISO dates. */
export interface SeededPerson {
  readonly personIdExternal: string;
  readonly employmentNav: readonly Entity[];
  readonly [property: string]: unknown;
}

type Entity = Readonly<Record<string, unknown>>;

/**
 * SuccessFactors' OData v2 as SAP and Microsoft describe it: people with the slices of a date range, by
 * default of today only; selected and expanded properties; snapshots, whose list of people stays as it
 * was when they began, with tokens that expire; a token for a signed SAML assertion.
 */
export const startSuccessFactors = async (seed: readonly SeededPerson[]) => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const settings = {
    companyId: 'acme',
    user: 'rollgate',
    password: 'sf-password-1',
    clientId: 'sf-api-key-1',
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    people: seed,
    today: '2026-11-22',
    /** Properties that the user may not see, by their path. */
    hidden: new Set<string>(),
    /** What it says how many people there are, if not the truth. */
    counted: undefined as number | undefined,
    areTokensExpired: false,
    /** The pages that are empty, though another one follows. */
    emptyPages: new Set<number>(),
    /** Called before each page. */
    beforePage: undefined as (() => void) | undefined,
  };
  const tokens = new Set<string>();
  const snapshots: (readonly object[])[] = [];
  let url = '';

  const token = (request: VendorRequest): VendorAnswer => {
    const form = new URLSearchParams(request.body);
    const assertion = Buffer.from(form.get('assertion') ?? '', 'base64').toString();
    const [signature = ''] = /<ds:Signature .*<\/ds:Signature>/s.exec(assertion) ?? [];
    const textIn = (name: string): string =>
      new RegExp(`<${name}(?: [^>]*)?>([^<]*)</${name}>`).exec(assertion)?.[1] ?? '';
    const [signedInfo = ''] = /<ds:SignedInfo .*<\/ds:SignedInfo>/s.exec(signature) ?? [];
    const isSigned =
      createHash('sha256').update(assertion.replace(signature, '')).digest('base64') ===
        textIn('ds:DigestValue') &&
      createVerify('RSA-SHA256')
        .update(signedInfo)
        .verify(publicKey, textIn('ds:SignatureValue'), 'base64');
    const isRight =
      isSigned &&
      form.get('company_id') === settings.companyId &&
      form.get('client_id') === settings.clientId &&
      textIn('saml:AttributeValue') === settings.clientId &&
      textIn('saml:NameID') === settings.user &&
      assertion.includes(`Recipient="${url}/oauth/token"`);
    if (!isRight) return { status: 401, body: { error: 'invalid_grant' } };
    const value = `sf-token-${tokens.size + 1}`;
    tokens.add(value);
    return { body: { access_token: value, token_type: 'Bearer', expires_in: 85_949 } };
  };

  const found = ({ query }: VendorRequest): readonly object[] => {
    const [, id] = /^personIdExternal eq '(.*)'$/.exec(query.get('$filter') ?? '') ?? [];
    const isOfEmployees = (query.get('$filter') ?? '').includes('activeEmploymentsCount ne null');
    const from = query.get('fromDate') ?? query.get('asOfDate') ?? settings.today;
    const to = query.get('toDate') ?? query.get('asOfDate') ?? settings.today;
    const isIn = (entity: Entity): boolean =>
      textOf(entity['startDate'], '') <= to && textOf(entity['endDate'], '9999') >= from;
    const select = (query.get('$select') ?? '').split(',');
    const expanded = (query.get('$expand') ?? '').split(',');
    const shown = (entity: Entity, path = ''): object =>
      Object.fromEntries(
        Object.entries(entity).flatMap(([name, value]): (readonly [string, unknown])[] => {
          const at = path === '' ? name : `${path}/${name}`;
          if (settings.hidden.has(at)) return [];
          if (typeof value !== 'object' || value === null)
            return select.includes(at) ? [[name, dated(name, value)]] : [];
          if (!select.some((one) => one.startsWith(`${at}/`))) return [];
          if (!expanded.some((one) => `${one}/`.startsWith(`${at}/`)))
            return [[name, { __deferred: { uri: `${url}/odata/v2/${at}` } }]];
          return [
            [
              name,
              Array.isArray(value)
                ? { results: (value as Entity[]).filter(isIn).map((one) => shown(one, at)) }
                : shown(value as Entity, at),
            ],
          ];
        }),
      );
    return settings.people
      .filter((person) => id === undefined || person.personIdExternal === id)
      .filter(({ employmentNav }) => !isOfEmployees || employmentNav.length > 0)
      .filter(({ employmentNav }) => employmentNav.length === 0 || employmentNav.some(isIn))
      .map((person) => ({ __metadata: { type: 'SFOData.PerPerson' }, ...shown(person) }));
  };

  const list = (request: VendorRequest): VendorAnswer => {
    const { query } = request;
    settings.beforePage?.();
    if (query.has('asOfDate') && query.has('fromDate')) return bad('asOfDate and fromDate');
    const size = Number(query.get('customPageSize') ?? '1000');
    if (size > 1_000) return bad('customPageSize');
    const [snapshot, at = 0, number = 1] = (query.get('$skiptoken') ?? '')
      .split('~')
      .flatMap((part) => (part === '' ? [] : Number(part)));
    if (snapshot !== undefined && settings.areTokensExpired) return bad('Invalid $skiptoken');
    const all = snapshot === undefined ? found(request) : (snapshots[snapshot] ?? []);
    const end = at + (settings.emptyPages.has(number) ? 0 : size);
    const next = new URLSearchParams(query);
    const known = snapshot ?? snapshots.push(all) - 1;
    next.set('$skiptoken', `${known}~${end}~${number + 1}`);
    return {
      body: {
        d: {
          ...(query.has('$inlinecount') && { __count: String(settings.counted ?? all.length) }),
          results: all.slice(at, end),
          ...(end < all.length && { __next: `${url}${request.path}?${next.toString()}` }),
        },
      },
    };
  };

  const server = await startVendor((request) => {
    if (request.path === '/oauth/token') return token(request);
    const bearer = request.headers.authorization?.replace('Bearer ', '') ?? '';
    const isRight =
      tokens.has(bearer) ||
      hasBasic(request, `${settings.user}@${settings.companyId}`, settings.password);
    if (!isRight) return { status: 401, body: problem('LGN0002', 'Authentication failed') };
    return request.path === '/odata/v2/PerPerson'
      ? list(request)
      : { status: 404, body: problem('NotFoundException', 'Invalid entity') };
  });
  ({ url } = server);
  const { companyId, user, password, clientId } = settings;
  return {
    ...server,
    settings,
    tokens,
    /** As in the configuration of a connector. */
    configured: { baseUrl: url, companyId, user, clientId, privateKey: settings.privateKey },
    /** With HTTP Basic. */
    withPassword: { baseUrl: url, companyId, user, password },
  };
};

const textOf = (value: unknown, otherwise: string): string =>
  typeof value === 'string' ? value : otherwise;

/** As OData v2 writes dates; with an offset where a time has one. */
const dated = (name: string, value: unknown): unknown => {
  if (!/Date$/.test(name) || typeof value !== 'string') return value;
  return `/Date(${Date.parse(value)}${name === 'startDate' ? '+0000' : ''})/`;
};

const problem = (code: string, value: string): object => ({
  error: { code, message: { lang: 'en-US', value } },
});

const bad = (message: string): VendorAnswer => ({
  status: 400,
  body: problem('COE_GENERAL_BAD_REQUEST', message),
});
