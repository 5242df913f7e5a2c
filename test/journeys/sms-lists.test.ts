import { describe, expect, it } from 'vitest';
import { createResource, TestGateway, type TestTenant } from '../support/gateway.js';

const gateway = TestGateway.use();

interface List {
  readonly id: string;
  readonly member_count: number;
}
interface Member {
  readonly id: string;
  readonly phone_number: string;
  readonly display_name: string | null;
  readonly valid_from: string | null;
  readonly valid_until: string | null;
}
interface Members {
  readonly members: readonly Member[];
  readonly total: number;
}
interface Recipients {
  readonly recipients: readonly Member[];
  readonly total: number;
}
interface Refusal {
  readonly error: string;
  readonly details?: readonly { readonly path: string; readonly message: string }[];
}

const numberOf = (at: number): string => `+4915${String(at).padStart(9, '0')}`;
const members = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => ({ phone_number: numberOf(from + at) }));

const createList = async ({ native }: TestTenant, body: object = {}): Promise<string> =>
  `/sms-lists/${await createResource(native, '/sms-lists', { name: 'Night shift', ...body })}`;

describe('SMS lists', () => {
  it('are created, listed, updated and deleted, with ETags', async () => {
    const { native } = await gateway.tenant();
    const given = {
      name: 'Night shift',
      external_id: 'roster-7',
      valid_from: '2027-01-01T00:00:00+02:00',
      valid_until: '2027-02-01T00:00:00Z',
    };
    const created = await native<List>('POST', '/sms-lists', given);
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      id: created.body.id,
      ...given,
      valid_from: '2026-12-31T22:00:00.000Z',
      valid_until: '2027-02-01T00:00:00.000Z',
      member_count: 0,
      created_at: expect.any(String) as unknown,
      updated_at: expect.any(String) as unknown,
    });
    const path = `/sms-lists/${created.body.id}`;
    const tag = created.headers.get('etag') ?? '';
    expect((await native('GET', path, undefined, { 'if-none-match': tag })).status).toBe(304);

    const all = await native('GET', '/sms-lists');
    expect(all.body).toEqual({ sms_lists: [created.body], total: 1, limit: 100, offset: 0 });
    const totalOf = async (query: string) =>
      (await native<{ total: number }>('GET', `/sms-lists?${query}`)).body.total;
    expect(await totalOf('external_id=roster-7')).toBe(1);
    expect(await totalOf('external_id=other')).toBe(0);
    expect(await totalOf('valid_at=2026-12-31T22:00:00Z')).toBe(1);
    expect(await totalOf('valid_at=2026-12-31T21:59:59.999Z')).toBe(0);
    expect(await totalOf('valid_at=2027-02-01T00:00:00Z')).toBe(0);

    const taken = await native('POST', '/sms-lists', { name: 'NIGHT SHIFT' });
    expect([taken.status, taken.body.error]).toEqual([409, 'NAME_TAKEN']);
    const conflict = await native('POST', '/sms-lists', { name: 'Other', external_id: 'roster-7' });
    expect([conflict.status, conflict.body.error]).toEqual([409, 'EXTERNAL_ID_TAKEN']);

    const changed = await native('PATCH', path, { external_id: null }, { 'if-match': tag });
    expect([changed.status, changed.body.external_id]).toEqual([200, null]);
    const stale = await native('PATCH', path, { name: 'Late' }, { 'if-match': tag });
    expect([stale.status, stale.body.error]).toEqual([412, 'PRECONDITION_FAILED']);
    expect((await native('DELETE', path, undefined, { 'if-match': tag })).status).toBe(412);
    expect((await native('DELETE', path)).status).toBe(204);
    const deleted = await native('GET', path);
    expect([deleted.status, deleted.body.error]).toEqual([404, 'SMS_LIST_NOT_FOUND']);
  });
});

describe('members of an SMS list', () => {
  it('are added and updated by number, in any notation', async () => {
    const tenant = await gateway.tenant();
    const { native } = tenant;
    const path = await createList(tenant);
    const first = await native('POST', `${path}/members`, {
      members: [
        {
          phone_number: '+49 1512 3456789',
          display_name: 'Ada',
          valid_until: '2027-01-01T00:00:00Z',
        },
        { phone_number: '+1 (202) 555-0143' },
      ],
    });
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({ members_added: 2, members_updated: 0 });
    const second = await native('POST', `${path}/members`, {
      members: [
        { phone_number: '+4915123456789', display_name: 'Ada L.' },
        { phone_number: '+44 7911 123456' },
      ],
    });
    expect(second.body).toEqual({
      list_id: path.slice('/sms-lists/'.length),
      members_added: 1,
      members_updated: 1,
    });
    const { body } = await native<Members>('GET', `${path}/members`);
    expect(body.total).toBe(3);
    expect(
      body.members.map(({ phone_number, display_name, valid_until }) => [
        phone_number,
        display_name,
        valid_until,
      ]),
    ).toEqual([
      ['+4915123456789', 'Ada L.', '2027-01-01T00:00:00.000Z'],
      ['+12025550143', null, null],
      ['+447911123456', null, null],
    ]);
    expect((await native<List>('GET', path)).body.member_count).toBe(3);
  });

  it('may have national numbers if the tenant has a default country', async () => {
    const tenant = await gateway.tenant({ default_country: 'DE' });
    const { native } = tenant;
    const path = await createList(tenant);
    await native('POST', `${path}/members`, { members: [{ phone_number: '01512 3456789' }] });
    const { body } = await native<Members>('GET', `${path}/members`);
    expect(body.members.map(({ phone_number }) => phone_number)).toEqual(['+4915123456789']);
    const operator = await gateway.operator();
    const wrong = await operator('PATCH', `/tenants/${tenant.slug}`, { default_country: 'XX' });
    expect(wrong.status).toBe(400);
  });

  it('are all refused if one number is invalid or duplicate; errors contain paths, not numbers', async () => {
    const tenant = await gateway.tenant();
    const { native } = tenant;
    const path = await createList(tenant);
    const { status, body } = await native<Refusal>('POST', `${path}/members`, {
      members: [
        { phone_number: '+4915123456789' },
        { phone_number: '0151 23456789' },
        { phone_number: 'call me' },
        { phone_number: '+49151234567890123456' },
        { phone_number: '+49 1512 3456789' },
        { phone_number: '+12025550143 ext. 7' },
      ],
    });
    expect([status, body.error]).toEqual([400, 'INVALID_REQUEST']);
    expect(body.details?.map(({ path: at }) => at)).toEqual([
      'members[1].phone_number',
      'members[2].phone_number',
      'members[3].phone_number',
      'members[4].phone_number',
      'members[5].phone_number',
    ]);
    expect(body.details?.[3]?.message).toBe('duplicates members[0].phone_number');
    // The request id may contain six digits in a row.
    expect(JSON.stringify({ ...body, request_id: '' })).not.toMatch(/\d{6}/);
    const many = await native('POST', `${path}/members`, { members: members(0, 1_001) });
    expect(many.status).toBe(400);
    expect((await native<Members>('GET', `${path}/members`)).body.total).toBe(0);
  });

  it('are removed by id or by number', async () => {
    const tenant = await gateway.tenant();
    const { native } = tenant;
    const path = await createList(tenant);
    await native('POST', `${path}/members`, { members: members(0, 4) });
    const [first] = (await native<Members>('GET', `${path}/members?limit=1`)).body.members;
    expect((await native('DELETE', `${path}/members/${first?.id}`)).status).toBe(204);
    const again = await native('DELETE', `${path}/members/${first?.id}`);
    expect([again.status, again.body.error]).toEqual([404, 'MEMBER_NOT_FOUND']);
    const removed = await native('POST', `${path}/members/remove`, {
      phone_numbers: [numberOf(1), '+49 15 000000001', numberOf(0)],
    });
    expect(removed.body).toMatchObject({ members_removed: 1 });
    const remaining = (await native<Members>('GET', `${path}/members`)).body;
    expect(remaining.members.map(({ phone_number }) => phone_number)).toEqual([
      numberOf(2),
      numberOf(3),
    ]);
  });

  it('have a result each on request, also in a dry run', async () => {
    const tenant = await gateway.tenant();
    const { native } = tenant;
    const path = await createList(tenant);
    await native('POST', `${path}/members`, { members: members(0, 2) });
    const body = { members: members(1, 3) };
    const results = ['unchanged', 'added'];
    expect(await native('POST', `${path}/members?results=true&dry_run=true`, body)).toMatchObject({
      body: { body: { members_added: 1, results } },
    });
    expect(await native('PUT', `${path}/members?results=true`, body)).toMatchObject({
      body: { members_removed: 1, results },
    });
  });
});

describe('recipients', () => {
  it('are the members whose window, and whose list’s window, include the time', async () => {
    const tenant = await gateway.tenant();
    const { native } = tenant;
    const path = await createList(tenant, {
      valid_from: '2027-01-01T00:00:00Z',
      valid_until: '2027-12-31T00:00:00Z',
    });
    const day = (number: number) => `2027-06-0${number}T00:00:00Z`;
    await native('POST', `${path}/members`, {
      members: [
        { phone_number: numberOf(0) },
        { phone_number: numberOf(1), valid_until: day(2) },
        { phone_number: numberOf(2), valid_from: day(2), valid_until: day(3) },
        { phone_number: numberOf(3), valid_from: day(3) },
      ],
    });
    const at = async (time: string) => {
      const { body } = await native<Recipients>(
        'GET',
        `${path}/recipients?at=${encodeURIComponent(time)}`,
      );
      expect(body.total).toBe(body.recipients.length);
      return body.recipients.map(({ phone_number }) => Number(phone_number.at(-1)));
    };
    expect(await at('2027-06-01T23:59:59.999Z')).toEqual([0, 1]);
    expect(await at(day(2))).toEqual([0, 2]);
    expect(await at('2027-06-02T02:00:00+02:00')).toEqual([0, 2]);
    expect(await at(day(3))).toEqual([0, 3]);
    expect(await at('2026-12-31T23:59:59.999Z')).toEqual([]);
    expect(await at('2027-01-01T00:00:00Z')).toEqual([0, 1]);
    expect(await at('2027-12-30T23:59:59.999Z')).toEqual([0, 3]);
    expect(await at('2027-12-31T00:00:00Z')).toEqual([]);
    const valid = await native<Members>('GET', `${path}/members?valid_at=2030-01-01T00:00:00Z`);
    expect(valid.body.total).toBe(2);
    const page = await native('GET', `${path}/recipients?at=${day(2)}&limit=1&offset=1`);
    expect(page.body).toMatchObject({ total: 2, limit: 1, offset: 1 });
  });
});

describe('an import of CSV', () => {
  interface Import {
    readonly members_added: number;
    readonly members_updated: number;
    readonly members_removed: number;
    readonly lines: readonly {
      readonly line: number;
      readonly result: string;
      readonly message?: string;
    }[];
  }

  const importing = async () => {
    const { url } = await gateway.open();
    const tenant = await gateway.tenant();
    const path = await createList(tenant);
    const send = async (csv: string, query = '') => {
      const response = await fetch(`${url}/v1/${tenant.slug}${path}/members/import?${query}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${tenant.key}`, 'content-type': 'text/csv' },
        body: csv,
      });
      const body = (await response.json()) as Import & Refusal & { readonly body: Import };
      return { status: response.status, body };
    };
    const names = async () =>
      (await tenant.native<Members>('GET', `${path}/members`)).body.members.map(
        ({ display_name: name }) => name,
      );
    return { send, names, tenant, path };
  };

  it('returns the result of each line, and skips invalid ones', async () => {
    const { send, names } = await importing();
    await send('Mobile;Name\n+49 1512 3456789;Ada\n');

    const { status, body } = await send(
      'phone_number,display_name,valid_from,valid_until\n' +
        '+4915123456789,Ada,,\n' +
        '+4915123456780,"Lovelace, Ada",2027-01-01,2028-01-01\n' +
        'call me,Grace,,\n' +
        '+49 1512 3456780,Twice,,\n' +
        '+4915123456781,Late,2028-01-01,2027-01-01\n' +
        '+4915123456782,Short\n' +
        '+4915123456783,Soon,tomorrow,\n',
    );

    expect([status, body.members_added, body.members_updated]).toEqual([200, 1, 0]);
    expect(body.lines).toEqual([
      { line: 2, result: 'unchanged' },
      { line: 3, result: 'added' },
      {
        line: 4,
        result: 'invalid',
        message: 'phone_number must be a phone number with a country code, such as +49 for Germany',
      },
      { line: 5, result: 'invalid', message: 'same number as line 3' },
      { line: 6, result: 'invalid', message: 'valid_until must be after valid_from' },
      { line: 7, result: 'invalid', message: 'number of cells differs from the header' },
      {
        line: 8,
        result: 'invalid',
        message: 'valid_from must be a time like 2026-01-31T12:00:00.000Z',
      },
    ]);
    expect(await names()).toEqual(['Ada', 'Lovelace, Ada']);
  });

  it('is previewed by a dry run', async () => {
    const { send, names } = await importing();
    const { body } = await send('+4915123456789,Ada', 'dry_run=true');
    expect(body.body.lines).toEqual([{ line: 1, result: 'added' }]);
    expect(await names()).toEqual([]);
  });

  it('replaces the list, but not by a file without a valid line', async () => {
    const { send, names } = await importing();
    await send('+4915123456789,Ada\n+4915123456780,Grace');
    expect((await send('nothing', 'mode=replace')).body.members_removed).toBe(0);
    const { body } = await send('+4915123456780,Grace', 'mode=replace');
    expect(body).toMatchObject({ members_removed: 1, lines: [{ result: 'unchanged' }] });
    expect(await names()).toEqual(['Grace']);
  });

  it.each([
    ['has no phone numbers', 'display_name\nAda\n'],
    ['is empty', ' \n \n'],
    ['has a column that is not known', 'phone_number,e-mail\n+4915123456789,a@b.c\n'],
    ['has the same column twice', 'phone_number,phone\n+4915123456789,+4915123456789\n'],
    ['has a quote that does not end', 'phone_number\n"+4915123456789\n'],
    ['has too many lines', '\n'.repeat(100_002)],
  ])('is refused if the file %s', async (_how, csv) => {
    const { send } = await importing();
    const { status, body } = await send(csv);
    expect([status, body.error]).toEqual([400, 'INVALID_REQUEST']);
    expect(JSON.stringify(body)).not.toContain('4915123456789');
  });
});
