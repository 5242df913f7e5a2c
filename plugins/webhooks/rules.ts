import { z } from 'zod';
import {
  type IfMatch,
  isSame,
  meetsPrecondition,
  type PluginRecord,
  type PluginRule,
  type PluginDecision,
  type Refusal,
  refuse,
} from '../../src/plugin/api.js';
import { WEBHOOK_NOT_FOUND } from './declarations.js';
import { presentCore, WebhookCore } from './bodies.js';
import { rotate, SWITCHES } from './signing.js';
import {
  mergeHeaders,
  MAX_HEADERS,
  readRegistration,
  RegistrationData,
  subscribedEvents,
} from './registration.js';

/** Registrations that a tenant may have (decisions.md 7). */
const MAX_REGISTRATIONS = 100;
/** API keys and setup links create none beyond this, so that operators always can. */
const MAX_OF_CUSTOMERS = 90;
/** Of setup links, so that the tenant's own programs can create some too. */
const MAX_OF_SETUP_LINKS = 20;

const HOUR_MS = 3_600_000;

/** An address moves as a whole: its open part and its sealed one. */
const sealedQuery = z.string().nullable();

const changeable = RegistrationData.pick({
  url: true,
  events: true,
  status: true,
  description: true,
});

/** Without defaults, which would be a change of what a request leaves out. */
const withoutDefaults = { query: sealedQuery, include: RegistrationData.shape.include.unwrap() };

const versions = z.array(z.int()).readonly();

const target = {
  id: z.string(),
  ifMatch: z.union([versions, z.literal('*'), z.strictObject({ noneOf: versions })]).optional(),
};
const sealedHeaders = z.record(z.string(), z.string());

/** What each rule is given; the routes make it, and the command log must be able to show it. */
export const RuleInputs = {
  create: RegistrationData.pick({
    url: true,
    events: true,
    description: true,
    secret: true,
    include: true,
  }).extend({
    query: sealedQuery.default(null),
    headers: sealedHeaders.default({}),
    isCustomers: z.boolean().optional(),
    isOperators: z.boolean().optional(),
  }),
  update: z.strictObject({
    ...target,
    changes: changeable.extend(withoutDefaults).partial(),
    headers: z.record(z.string(), z.string().nullable()).default({}),
  }),
  rotateSecret: z.strictObject({
    ...target,
    secret: z.string(),
    overlapHours: z.number(),
    switch: z.enum(SWITCHES),
  }),
  disable: z.strictObject({ id: z.string(), epoch: z.int(), reason: z.string() }),
  sealQuery: z.strictObject({
    id: z.string(),
    version: z.int(),
    url: z.string(),
    query: sealedQuery,
  }),
  delete: z.strictObject(target),
};

/**
 * What rules return; `create` and `rotateSecret` include the sealed secret, because a request that
 * is repeated with its Idempotency-Key returns the secret of the first time. The query of the URL is
 * sealed, in a field of its own. The provisioning log keeps neither.
 */
export const RuleResult = z.strictObject({
  webhook: WebhookCore,
  version: z.int(),
  query: sealedQuery.optional(),
  secret: z.string().optional(),
});

/** A query may be a secret, too. */
const UNLOGGED = ['secret', 'query'] as const;

const refused = (...refusal: Parameters<typeof refuse>): PluginDecision => ({
  refusal: refuse(...refusal),
});

const resultOf = (record: PluginRecord): z.input<typeof RuleResult> => ({
  webhook: presentCore(readRegistration(record)),
  version: record.version,
  query: readRegistration(record).query,
});

const create: PluginRule = (input, { records, newRecord, seq }) => {
  const { headers, isOperators = false, ...given } = RuleInputs.create.parse(input);
  const ofSetupLinks = records.filter((one) => readRegistration(one).isCustomers).length;
  const isFull =
    records.length >= (isOperators ? MAX_REGISTRATIONS : MAX_OF_CUSTOMERS) ||
    (given.isCustomers === true && ofSetupLinks >= MAX_OF_SETUP_LINKS);
  if (isFull)
    return refused(
      'INVALID_REQUEST',
      `The limit of webhook registrations is reached: ${MAX_REGISTRATIONS} of a tenant, of which API keys ` +
        `and setup links create ${MAX_OF_CUSTOMERS}, setup links ${MAX_OF_SETUP_LINKS}. Delete one first.`,
    );
  const record = newRecord({
    ...given,
    headers: mergeHeaders([], headers),
    previous: [],
    next: null,
    disabledReason: null,
    status: 'active',
    epoch: 1,
    after: seq,
  });
  const { secret } = RegistrationData.parse(record.data);
  return { put: [record], result: { ...resultOf(record), secret }, unlogged: UNLOGGED };
};

/**
 * Headers may hold credentials, and their values are never returned: anyone who could redirect them
 * to another server would read them there. Returns the names of headers that the change omits.
 */
const requireSameServer = (
  { url, headers }: RegistrationData,
  changes: { readonly url?: string | undefined },
  given: Readonly<Record<string, string | null>>,
): Refusal | undefined => {
  if (changes.url === undefined || originOf(changes.url) === originOf(url)) return undefined;
  const givenNames = new Set(Object.keys(given).map((name) => name.toLowerCase()));
  const missing = headers
    .map(({ name }) => name)
    .filter((name) => !givenNames.has(name.toLowerCase()));
  if (missing.length === 0) return undefined;
  const message = `must say again what ${missing.join(', ')} is, or null, where the url leads to another server`;
  return refuse('INVALID_REQUEST', `The change is not valid: headers ${message}.`, {
    details: [{ path: 'headers', message }],
  });
};

const originOf = (url: string): string => new URL(url).origin;

const update: PluginRule = (input, { records, seq }) => {
  const { id, ifMatch, changes, headers } = RuleInputs.update.parse(input);
  const found = findForChange(records, id, ifMatch);
  if ('refusal' in found) return found;
  const before = RegistrationData.parse(found.record.data);
  const refusal = requireSameServer(before, changes, headers);
  if (refusal) return { refusal };
  const merged = mergeHeaders(before.headers, headers);
  if (merged.length > MAX_HEADERS)
    return refused('INVALID_REQUEST', `A registration can have at most ${MAX_HEADERS} headers.`);
  // Disabled or enabled by hand, it is no longer the gateway's doing.
  const disabledReason = changes.status === undefined ? before.disabledReason : null;
  const after = { ...before, ...changes, headers: merged, disabledReason };
  const record = changed(found.record, RegistrationData.parse(after), seq);
  return record
    ? { put: [record], result: resultOf(record), unlogged: UNLOGGED }
    : { result: resultOf(found.record), unlogged: UNLOGGED };
};

/** The record with this data, under a new epoch where its status moves; undefined where all is as it was. */
const changed = (
  record: PluginRecord,
  data: RegistrationData,
  seq: number,
): PluginRecord | undefined => {
  const before = RegistrationData.parse(record.data);
  if (isSame(before, data)) return undefined;
  const isSwitched = data.status !== before.status;
  const started = isSwitched
    ? { epoch: before.epoch + 1, after: seq, addedAfter: {} }
    : { addedAfter: addedAfter(before, data, seq) };
  return { ...record, data: { ...data, ...started }, version: record.version + 1 };
};

/** An event that is added is sent from now on, one that is removed no longer. */
const addedAfter = (
  before: RegistrationData,
  data: RegistrationData,
  seq: number,
): RegistrationData['addedAfter'] => {
  const known = subscribedEvents(before);
  return Object.fromEntries(
    [...subscribedEvents(data)].flatMap((name) => {
      const from = known.has(name) ? before.addedAfter[name] : seq;
      return from === undefined ? [] : [[name, from]];
    }),
  );
};

/** Both secrets sign during the overlap, so that receivers can follow in peace. */
const rotateSecret: PluginRule = (input, { records, now }) => {
  const { id, ifMatch, secret, overlapHours, ...settings } = RuleInputs.rotateSecret.parse(input);
  const found = findForChange(records, id, ifMatch);
  if ('refusal' in found) return found;
  const before = RegistrationData.parse(found.record.data);
  const rotation = { ...settings, secret, overlapMs: overlapHours * HOUR_MS };
  const secrets = rotate(before, rotation, now);
  const record = {
    ...found.record,
    data: RegistrationData.parse({ ...before, ...secrets }),
    version: found.record.version + 1,
  };
  return { put: [record], result: { ...resultOf(record), secret }, unlogged: UNLOGGED };
};

/** By the gateway itself; no effect if the status has changed since. */
const disable: PluginRule = (input, { records, seq }) => {
  const { id, epoch, reason } = RuleInputs.disable.parse(input);
  const found = records.find((candidate) => candidate.id === id);
  const data = found && RegistrationData.parse(found.data);
  if (!data || data.epoch !== epoch || data.status !== 'active') return { result: null };
  const record = changed(found, { ...data, status: 'disabled', disabledReason: reason }, seq);
  return record
    ? { put: [record], result: resultOf(record), unlogged: UNLOGGED }
    : { result: null };
};

/** Of a registration of before; its version stays, for what it says is the same. */
const sealQuery: PluginRule = (input, { records }) => {
  const { id, version, url, query } = RuleInputs.sealQuery.parse(input);
  const found = records.find((candidate) => candidate.id === id);
  const data = found && RegistrationData.parse(found.data);
  // It was changed or sealed in the meantime.
  if (!data || found.version !== version || data.query !== null) return { result: null };
  return { put: [{ ...found, data: { ...data, url, query } }], result: null };
};

const remove: PluginRule = (input, { records }) => {
  const { id, ifMatch } = RuleInputs.delete.parse(input);
  const found = findForChange(records, id, ifMatch);
  return 'refusal' in found ? found : { remove: [found.record], result: null };
};

const findForChange = (
  records: readonly PluginRecord[],
  id: string,
  ifMatch: IfMatch | undefined,
): { readonly record: PluginRecord } | Extract<PluginDecision, { refusal: unknown }> => {
  const record = records.find((candidate) => candidate.id === id);
  if (!record) return { refusal: webhookNotFound() };
  if (meetsPrecondition(record.version, ifMatch)) return { record };
  return {
    refusal: refuse(
      'PRECONDITION_FAILED',
      'The registration has changed since you read it. Read it again and repeat the change.',
    ),
  };
};

export const webhookNotFound = () =>
  refuse(WEBHOOK_NOT_FOUND, 'No webhook registration has this id.');

/** The rules by which registrations change, run inside the lane (decisions.md 7). */
export const webhookRules = {
  create,
  update,
  rotateSecret,
  disable,
  sealQuery,
  delete: remove,
} satisfies Record<string, PluginRule>;
