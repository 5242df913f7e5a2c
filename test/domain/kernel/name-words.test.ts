import { describe, expect, it } from 'vitest';
import { haveAllWords, nameWords } from '../../../src/domain/kernel/name-words.js';
import { userWords } from '../../../src/store/tables/users.js';
import { aUser } from '../../support/builders.js';

describe('the words of a name', () => {
  it.each<[string, readonly string[]]>([
    ['Ada Lovelace', ['lovelace']],
    ['Ada de la Cruz', ['de la cruz', 'la cruz', 'cruz']],
    ["Sean O'Brien-Smith", ["o'brien-smith", 'brien-smith', 'smith']],
    ['Wache 7 (Nord)', ['7 (nord)', 'nord)']],
    ['Zoë Müller', ['müller', 'zoe muller', 'muller']],
    ['  Ada', ['ada']],
    // Found by the name's own index.
    ['Ada', ['']],
    ['', ['']],
  ])('%j: %j, besides the name itself', (name, words) => {
    expect(nameWords([name])).toEqual(words);
  });

  it('are limited in number and length, without cutting a name off that is found already', () => {
    const words = nameWords([
      Array.from({ length: 100 }, (_, at) => `${'x'.repeat(60)}${at}`).join(' '),
    ]);
    expect(words.length).toBeLessThanOrEqual(12);
    for (const word of words) expect(word.length).toBeLessThanOrEqual(48);
  });

  it.each([
    [['ada', 'love'], true],
    [['love', 'ada'], true],
    [['love', 'grace'], false],
    // Within a word.
    [['lace'], false],
    [[], false],
  ])('%j of "Ada Lovelace": %j', (words, isFound) => {
    expect(haveAllWords(['Ada Lovelace'], words)).toBe(isFound);
  });
});

describe('the words of a user', () => {
  const ADA = { userName: 'ada.lovelace@example.com' } as const;

  it('is one entry for most users: the family name is in all texts', () => {
    const profile = { ...ADA, name: { givenName: 'Ada', familyName: 'Lovelace' } };
    expect(userWords(aUser(1, profile))).toEqual(['lovelace']);
  });

  it.each<[string, object, readonly string[]]>([
    ['a family name alone', { ...ADA, displayName: 'AL', name: { familyName: 'King' } }, ['king']],
    ['a given name', { ...ADA, displayName: 'AL', name: { givenName: 'Augusta' } }, ['augusta']],
    ['an employee number', { ...ADA, enterprise: { employeeNumber: 'E-1815' } }, ['e-1815']],
    [
      'parts of a user name',
      { userName: 'corp\\ada_king', displayName: 'A' },
      ['ada_king', 'king'],
    ],
    [
      'further addresses, without their domains',
      { ...ADA, emails: [{ value: 'ada@x.example', primary: true }, { value: 'king@y.example' }] },
      ['king'],
    ],
  ])('has %s', (_what, profile, words) => {
    expect(userWords(aUser(1, profile))).toEqual(expect.arrayContaining([...words]));
  });

  it('has no domain', () => {
    // Without a display name, the user name is shown.
    for (const { profile } of [aUser(1, ADA), aUser(2, { ...ADA, displayName: ADA.userName })])
      expect(userWords({ profile, email: null })).toEqual(['lovelace']);
  });
});
