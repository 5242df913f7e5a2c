import fc from 'fast-check';
import mongoose from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Filter } from '../../src/domain/filter.js';
import { matchFilter } from '../../src/domain/match-filter.js';
import type { User } from '../../src/domain/user.js';
import { readFilter } from '../../src/scim/filter-reader.js';
import { readUser } from '../../src/scim/read-user.js';
import { USER } from '../../src/scim/user-schema.js';
import type { UserDocument } from '../../src/store/documents.js';
import { toUserDocument } from '../../src/store/user-document.js';
import { userFilterQuery, userSortPlace } from '../../src/store/user-filter.js';
import { userBody, userFilter, word } from '../scim/arbitraries.js';
import { asFiltered } from '../scim/as-filtered.js';
import { printFilter } from '../scim/print-filter.js';
import { aUser, idOf } from '../support/builders.js';
import { createTestDatabase } from '../support/database.js';

const DEFAULT_ROLE = 'a';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

const filterOf = (text: string): Filter => readFilter(text, USER);
const queryOf = (filter: Filter) => userFilterQuery(filter, { defaultRole: DEFAULT_ROLE });

describe('the query of a filter', () => {
  it.each<[string, object]>([
    ['userName eq "BOB"', { 'folded.userName': 'bob' }],
    ['userName eq "E\u0301"', { 'folded.userName': 'é' }],
    ['externalId eq "BOB"', { 'profile.externalId': 'BOB' }],
    ['id eq "BOB"', { _id: 'BOB' }],
    ['active eq true', { 'profile.active': true }],
    ['title ne "X"', { $nor: [{ 'folded.title': 'x' }] }],
    ['title co "A.b*"', { 'folded.title': { $regex: 'a\\.b\\*' } }],
    ['title sw "A"', { 'folded.title': { $regex: '^a' } }],
    ['title ew "A"', { 'folded.title': { $regex: 'a\\z' } }],
    ['title gt "A"', { 'folded.title': { $gt: 'a' } }],
    ['title pr', { 'folded.title': { $gt: '' } }],
    ['active pr', { 'profile.active': { $in: [true, false] } }],
    ['emails pr', { 'profile.emails': { $type: 'object' } }],
    ['title eq null', { $nor: [{ 'folded.title': { $gt: '' } }] }],
    ['title ne null', { 'folded.title': { $gt: '' } }],
    [`${ENTERPRISE}:manager eq "X"`, { 'folded.enterprise.manager.value': 'x' }],
    [
      'meta.lastModified ge "2026-01-31T12:00:00Z"',
      { updatedAt: { $gte: new Date('2026-01-31T12:00:00Z') } },
    ],
    [
      'emails[type eq "WORK" and primary eq true]',
      { 'folded.emails': { $elemMatch: { $and: [{ type: 'work' }, { primary: true }] } } },
    ],
    [
      'x509Certificates[value eq "MII"]',
      { 'folded.x509Certificates': { $elemMatch: { value: 'MII' } } },
    ],
    ['not (active eq true)', { $nor: [{ 'profile.active': true }] }],
    ['roles.value eq "boss"', { role: 'boss' }],
    ['roles.value eq "a"', { $or: [{ role: 'a' }, { role: null }] }],
    ['roles.value ne "a"', { $nor: [{ $or: [{ role: 'a' }, { role: null }] }] }],
    ['roles pr', {}],
    ['roles[primary eq true]', {}],
    ['roles.primary eq false', { _id: { $exists: false } }],
  ])('of %s asks what an index can answer', (text, expected) => {
    expect(queryOf(filterOf(text))).toEqual(expected);
  });

  it('never runs a regular expression without regard to case', () => {
    fc.assert(
      fc.property(userFilter(fc.string()), (filter) => {
        expect(JSON.stringify(queryOf(filter))).not.toContain('$options');
      }),
    );
  });
});

describe('the order of an attribute', () => {
  it.each([
    ['id', '_id'],
    ['userName', 'folded.userName'],
    ['displayName', 'folded.label'],
    ['meta.created', 'n'],
    ['meta.lastModified', 'updatedAt'],
  ])('%s is that of a field which every user has', (name, field) => {
    const attribute = (filterOf(`${name} pr`) as Extract<Filter, { kind: 'present' }>).attribute;
    expect(userSortPlace(attribute).field).toBe(field);
  });
});

describe('MongoDB', () => {
  const { uri } = createTestDatabase();
  let client: mongoose.mongo.MongoClient;
  let users: mongoose.mongo.Collection<UserDocument>;
  let everybody: readonly User[];

  const time = fc.date({
    min: new Date('2020-01-01'),
    max: new Date('2030-01-01'),
    noInvalidDate: true,
  });

  const population = fc.array(
    fc.record({ body: userBody(word), role: fc.option(word), created: time, updated: time }),
    { minLength: 150, maxLength: 150 },
  );

  const makeUsers = (): readonly User[] => {
    const [drawn = []] = fc.sample(population, { numRuns: 1, seed: 20261121 });
    const emails = [[{ type: 'a', value: 'A' }], [{ type: 'a', value: 'b' }, { value: 'a' }]];
    const drawnUp = emails.map((list) => ({ userName: 'z', emails: list }));
    const more = drawnUp.map((body) => ({
      body,
      role: 'b',
      created: new Date(),
      updated: new Date(),
    }));
    return [...drawn, ...more].map(({ body, role, created, updated }, at) => ({
      ...aUser(at),
      id: idOf(at),
      profile: readUser(body),
      role,
      createdAt: created,
      updatedAt: updated,
    }));
  };

  beforeAll(async () => {
    client = await new mongoose.mongo.MongoClient(uri).connect();
    users = client.db().collection<UserDocument>('users');
    everybody = makeUsers();
    await users.insertMany(everybody.map((user, at) => toUserDocument(user, at)));
  });

  afterAll(() => client.close());

  const foundBy = async (filter: Filter): Promise<readonly string[]> => {
    const found = await users.find(queryOf(filter) as object, { projection: { _id: 1 } }).toArray();
    return found.map(({ _id }) => _id).sort();
  };

  const expectedOf = (filter: Filter): readonly string[] =>
    everybody
      .filter((user) => matchFilter(filter, asFiltered(user, DEFAULT_ROLE)))
      .map(({ id }) => id)
      .sort();

  it('finds whom a filter means, and nobody else', async () => {
    await fc.assert(
      fc.asyncProperty(userFilter(word), async (filter) => {
        expect(await foundBy(filter), printFilter(filter)).toEqual(expectedOf(filter));
      }),
      { numRuns: 400 },
    );
  });

  it.each([
    'emails.value eq "A"',
    'emails[type eq "a" and value eq "a"]',
    'emails.type eq "a" and emails.value eq "a"',
    'not (emails[primary eq true])',
    'addresses.formatted ew "b"',
    `${ENTERPRISE}:manager.$ref co "a"`,
    `${ENTERPRISE} pr`,
    'ims.display eq null',
    'userName co "^a$"',
    'userName lt "\u{1F600}"',
    'roles.value ge "a"',
  ])('agrees with the plain reading of %s', async (text) => {
    const filter = filterOf(text);
    const expected = expectedOf(filter);
    expect(expected.length).toBeGreaterThan(0);
    expect(expected.length).toBeLessThan(everybody.length);
    expect(await foundBy(filter)).toEqual(expected);
  });

  it('tells one element that meets all from two that meet half each', async () => {
    const together = await foundBy(filterOf('emails[type eq "a" and value eq "a"]'));
    const apart = await foundBy(filterOf('emails.type eq "a" and emails.value eq "a"'));
    expect(apart).toEqual(expect.arrayContaining([...together]));
    expect(apart.length).toBeGreaterThan(together.length);
  });
});
