import { describe, expect, it } from 'vitest';
import { givesList, givesNewUser, givesUser } from '../../bench/load/answer-faults.js';

const answer = (status: number, body: unknown) => ({ status, text: JSON.stringify(body) });

const ada = { id: '1', userName: 'ada', active: true };
const grace = { id: '2', userName: 'grace', active: true };

describe('an answer in the benchmark', () => {
  it('is right where it is the user that was asked for, whatever else it says', () => {
    expect(givesUser(200, { id: '1' })(answer(200, { ...ada, title: 'Countess' }))).toBeUndefined();
  });

  it('is wrong with another status, however right the body', () => {
    expect(givesUser(200, { id: '1' })(answer(203, ada))).toBe('the status is 203, not 200');
  });

  it('is wrong where it is another user', () => {
    expect(givesUser(200, { id: '1' })(answer(200, grace))).toBe('id is "2", not "1"');
  });

  it('is wrong where it is no JSON', () => {
    expect(givesUser(200, ada)({ status: 200, text: '<html>' })).toMatch(/cannot be read/);
  });

  it('is a new user only with an id and the e-mail address that was sent', () => {
    const created = { ...ada, emails: [{ value: 'ada' }] };
    expect(givesNewUser('ada')(answer(201, created))).toBeUndefined();
    expect(givesNewUser('ada')(answer(201, { ...created, id: undefined }))).toBe(
      'the id is missing',
    );
    expect(givesNewUser('ada')(answer(201, ada))).toBe('emails[0].value is undefined, not "ada"');
  });

  it('is a page only with exactly its users, in their order, and the right total', () => {
    const look = givesList({ total: 9, startIndex: 4, users: [ada, grace] });
    const page = { totalResults: 9, startIndex: 4, Resources: [ada, grace] };
    expect(look(answer(200, page))).toBeUndefined();
    expect(look(answer(200, { ...page, totalResults: 8 }))).toBe('totalResults is 8, not 9');
    expect(look(answer(200, { ...page, startIndex: 1 }))).toBe('startIndex is 1, not 4');
    expect(look(answer(200, { ...page, Resources: [ada] }))).toMatch(/number of Resources is 1/);
    expect(look(answer(200, { ...page, Resources: [grace, ada] }))).toBe('id is "2", not "1"');
  });
});
