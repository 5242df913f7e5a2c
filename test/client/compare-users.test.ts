import { describe, expect, it } from 'vitest';
import { compareUsers, readProviderExport, type UserHere } from '../../src/client/index.js';

const user = (name: string, more: Partial<UserHere> = {}): UserHere => ({
  id: `id-${name}`,
  external_id: null,
  user_name: `${name}@example.com`,
  email: `${name}@example.com`,
  display_name: name,
  active: true,
  ...more,
});

const compare = (text: string, ...users: readonly UserHere[]) =>
  compareUsers(
    (async function* () {
      yield* await Promise.resolve(users);
    })(),
    readProviderExport(text),
  );

const NOTHING = { only_here: [], only_there: [], different: [], bad_lines: [] };

describe('an export', () => {
  it.each([
    [
      'Okta',
      'login,email,firstName,lastName,status\nada@example.com,ada@example.com,Ada,Lovelace,ACTIVE\n',
    ],
    [
      "Okta's API",
      'profile.login,profile.firstName,profile.lastName,status\nADA@example.com,Ada,Lovelace,LOCKED_OUT\n',
    ],
    [
      'Entra ID',
      'userPrincipalName,displayName,surname,mail,givenName,objectId,userType,accountEnabled\n' +
        'Ada@Example.com,Ada Lovelace,Lovelace,,Ada,8f14,Member,True\n',
    ],
    [
      'a group of Entra ID',
      'Object ID,User principal name,Display name,Member type\n8f14,ada@example.com,Ada Lovelace,User\n',
    ],
    [
      'Google Workspace',
      'First Name [Required],Last Name [Required],Email Address [Required],Status [READ ONLY]\n' +
        'Ada,Lovelace,ada@example.com,Active\n',
    ],
    [
      'Rollgate',
      'id,email,display_name,active,user_name\nid-ada,ada@example.com,Ada Lovelace,true,ada@example.com\n',
    ],
    ['a spreadsheet', '\uFEFFuserName;displayName\r\n"ada@example.com";"Ada Lovelace"\r\n'],
  ])('of %s is recognised', async (_of, text) => {
    const found = await compare(text, user('ada', { display_name: 'Ada Lovelace' }));
    expect(found).toMatchObject({ ...NOTHING, same: 1 });
  });

  it('may have columns that are chosen by a person', () => {
    const text = 'Kennung,Name\nada,Ada\n';
    expect(() => readProviderExport(text)).toThrow(/no known column.*Kennung, Name/);
    const { users } = readProviderExport(text, { user_name: ['Kennung'] });
    expect(users).toEqual([{ line: 2, user_name: 'ada' }]);
  });

  it.each([
    ['', 'The file is empty.'],
    [`userName\n${'a\n'.repeat(100_001)}`, 'The file has more than 100,000 rows.'],
  ])('is refused if it is no list of users', (text, message) => {
    expect(() => readProviderExport(text)).toThrow(message);
  });

  it('keeps quoted separators, and names the lines that it cannot read', () => {
    const { users, bad_lines: bad } = readProviderExport(
      'userName,displayName,status,objectType\n' +
        'ada,"Lovelace, ""Ada""\nCountess",active,User\n' +
        'bob,Bob,active\n' +
        'ADA,Twin,active,User\n' +
        ',Nameless,active,User\n' +
        'team,Team,active,Group\n' +
        'eve,Eve,sleeping,User\n' +
        'zoe,"Zoe,active,User\n',
    );
    expect(users).toEqual([
      { line: 2, user_name: 'ada', display_name: 'Lovelace, "Ada"\nCountess', active: true },
      { line: 8, user_name: 'eve', display_name: 'Eve' },
    ]);
    expect(bad).toEqual([
      { line: 4, message: 'The line has 3 cells, the header has 4.' },
      { line: 5, message: 'It has the external ID or user name of line 2.' },
      { line: 6, message: 'It has no external ID, user name or email address.' },
      { line: 7, message: 'It is not a user.' },
      { line: 8, message: 'Its status is not known, and was not compared.' },
      { line: 9, message: 'A quote is not closed: the file may have been cut.' },
    ]);
  });
});

describe('a comparison', () => {
  const header = 'externalId,userName,email,displayName,active\n';

  it('says who is only here, only there, or different', async () => {
    const found = await compare(
      `${header},ada@example.com,ada@new.example,Ada,false\n,bob@example.com,,bob,true\n,new@example.com,,New,true\n`,
      user('ada'),
      user('bob'),
      user('eve'),
    );
    expect(found).toMatchObject({
      same: 1,
      only_here: [{ id: 'id-eve' }],
      only_there: [{ line: 4, user_name: 'new@example.com' }],
      different: [
        {
          line: 2,
          user: { id: 'id-ada' },
          changes: [
            { field: 'email', here: 'ada@example.com', there: 'ada@new.example' },
            { field: 'display_name', here: 'ada', there: 'Ada' },
            { field: 'active', here: true, there: false },
          ],
        },
      ],
    });
  });

  it('takes deactivated users that are disabled or absent there as the same', async () => {
    const found = await compare(
      `${header},ada@example.com,,Renamed,false\n,new@example.com,,New,no\n`,
      user('ada', { active: false }),
      user('bob', { active: false }),
    );
    expect(found).toMatchObject({ ...NOTHING, same: 2 });
  });

  it.each([[false], [true]])(
    'finds users by external ID first, then by user name and email address (reversed: %s)',
    async (isReversed) => {
      const users = [
        user('x', { external_id: null, user_name: 'old', email: 'shared@example.com' }),
        user('y', { external_id: null, user_name: 'NEW', email: null }),
        user('z', { external_id: 'E1', user_name: 'other', email: null }),
      ];
      const found = await compare(
        `${header}e1,new,,,\n,renamed,SHARED@example.com,,\n`,
        ...(isReversed ? users.reverse() : users),
      );
      expect(found.found_by).toEqual({ external_id: 1, user_name: 0, email: 1 });
      expect(found.only_here.map(({ id }) => id)).toEqual(['id-y']);
      expect(found.different.map(({ user: { id }, changes }) => [id, changes[0]?.field])).toEqual([
        ['id-z', 'user_name'],
        ['id-x', 'user_name'],
      ]);
    },
  );
});
