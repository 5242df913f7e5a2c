import { describe, expect, it } from 'vitest';
import { expectNewUser, expectUser, expectUsers } from '../../tools/bench/load/response-checks.js';

const response = (status: number, body: unknown) => ({ status, text: JSON.stringify(body) });

const ada = { id: '1', userName: 'ada', active: true };
const grace = { id: '2', userName: 'grace', active: true };

describe('the checks of user responses', () => {
  it('accept the expected user with additional attributes', () => {
    expect(
      expectUser(200, { id: '1' })(response(200, { ...ada, title: 'Countess' })),
    ).toBeUndefined();
  });

  it('reject another status', () => {
    expect(expectUser(200, { id: '1' })(response(203, ada))).toBe('the status is 203, not 200');
  });

  it('reject another user', () => {
    expect(expectUser(200, { id: '1' })(response(200, grace))).toBe('id is "2", not "1"');
  });

  it('reject a body that is not JSON', () => {
    expect(expectUser(200, ada)({ status: 200, text: '<html>' })).toMatch(/cannot be read/);
  });

  it('accept a new user with an id and the e-mail address', () => {
    const created = { ...ada, emails: [{ value: 'ada' }] };
    expect(expectNewUser('ada')(response(201, created))).toBeUndefined();
    expect(expectNewUser('ada')(response(201, { ...created, id: undefined }))).toBe(
      'the id is missing',
    );
    expect(expectNewUser('ada')(response(201, ada))).toBe(
      'emails[0].value is undefined, not "ada"',
    );
  });

  it('accept a page with exactly its users, in order, and the total', () => {
    const check = expectUsers({ total: 9, startIndex: 4, users: [ada, grace] });
    const page = { totalResults: 9, startIndex: 4, Resources: [ada, grace] };
    expect(check(response(200, page))).toBeUndefined();
    expect(check(response(200, { ...page, totalResults: 8 }))).toBe('totalResults is 8, not 9');
    expect(check(response(200, { ...page, startIndex: 1 }))).toBe('startIndex is 1, not 4');
    expect(check(response(200, { ...page, Resources: [ada] }))).toMatch(/number of Resources is 1/);
    expect(check(response(200, { ...page, Resources: [grace, ada] }))).toBe('id is "2", not "1"');
  });
});
