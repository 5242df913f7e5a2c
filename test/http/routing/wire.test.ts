import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fromWire, toWire } from '../../../src/routes/wire.js';

const MemberView = z.strictObject({ user_id: z.string(), tx_permission: z.boolean() });

const RoomView = z.strictObject({
  id: z.string(),
  created_at: z.string(),
  closed_at: z.string().nullable(),
  requests_24h: z.int(),
  last_member: MemberView.nullable(),
  members: z.array(MemberView),
  note: z.string().optional(),
  details: z.looseObject({}),
});

const room = {
  id: 'r1',
  createdAt: new Date('2026-01-31T12:00:00Z'),
  closedAt: null,
  requests24h: 3,
  lastMember: null,
  members: [{ userId: 'u1', txPermission: true, secret: 'hidden' }],
  details: { any_name: { is: 'kept' } },
  passwordHash: 'hidden',
};

describe('a response', () => {
  it('has the fields of its schema, renamed, and no other', () => {
    expect(toWire(RoomView, room)).toEqual({
      id: 'r1',
      created_at: '2026-01-31T12:00:00.000Z',
      closed_at: null,
      requests_24h: 3,
      last_member: null,
      members: [{ user_id: 'u1', tx_permission: true }],
      details: { any_name: { is: 'kept' } },
    });
  });

  it('has the fields in the order of the schema', () => {
    const view = toWire(MemberView, { txPermission: false, userId: 'u1' });
    expect(Object.keys(view)).toEqual(['user_id', 'tx_permission']);
  });
});

describe('a schema that does not say which fields a value has', () => {
  it('writes no response', () => {
    const Either = z.strictObject({ member: z.union([MemberView, RoomView]) });
    expect(() => toWire(Either, { member: room })).toThrow('a schema of type union');
  });
});

describe('a request', () => {
  it('has the given fields by their names in the code', () => {
    const given: { display_name?: string; external_id?: string | null; active: boolean } = {
      external_id: null,
      active: true,
    };
    expect(fromWire({ ...given, display_name: undefined })).toEqual({
      externalId: null,
      active: true,
    });
    expect(Object.keys(fromWire({ display_name: undefined }))).toEqual([]);
  });
});
