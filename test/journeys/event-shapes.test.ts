import { beforeAll, expect, it } from 'vitest';
import { EVENT_SHAPES } from '../../src/api/event-shapes.js';
import { EVENT_NAMES } from '../../src/domain/events.js';
import { type Answer, TestGateway, type TestTenant, useReceiver } from '../support/gateway.js';

const { open, receiver, env } = useReceiver();
const gateway = TestGateway.use(env);
let tenant: TestTenant;

const schemas = (name: string) => [`urn:ietf:params:scim:schemas:core:2.0:${name}`];

const done = async (asked: Promise<Answer>): Promise<string> => {
  const { status, body } = await asked;
  if (status >= 300) throw new Error(JSON.stringify(body));
  return body.id as string;
};

beforeAll(async () => {
  await open();
  tenant = await gateway.tenant();
});

/** Something of every kind that can happen. */
const live = async (): Promise<void> => {
  const { native, scim, slug } = tenant;
  const operator = await gateway.operator();
  const ada = await done(
    scim('POST', '/Users', { schemas: schemas('User'), userName: 'ada@example.com' }),
  );
  const bob = await done(
    native('POST', '/users', { email: 'bob@example.com', display_name: 'Bob' }),
  );
  await done(native('PATCH', `/users/${bob}`, { display_name: 'Robert' }));
  await done(native('DELETE', `/users/${bob}`));
  await done(native('PATCH', `/users/${bob}`, { active: true }));

  await done(operator('POST', `/tenants/${slug}/rooms`, { name: 'Dispatch' }));
  const members = [{ value: ada }];
  const group = { schemas: schemas('Group'), displayName: 'Dispatch', members };
  const dispatch = await done(scim('POST', '/Groups', group));
  const { body } = await native<{ rooms: { id: string }[] }>('GET', '/rooms');
  const room = `/rooms/${body.rooms[0]!.id}`;
  await done(native('POST', `${room}/members`, { user_id: bob, tx_permission: true }));
  await done(native('PATCH', `${room}/members/${bob}`, { tx_permission: false }));
  await done(native('PATCH', room, { external_id: 'idp-7' }));
  await done(native('DELETE', `${room}/members/${ada}`));
  await done(scim('DELETE', `/Groups/${dispatch}`));
  const mapping = { group_display_name: 'Crew', role: 'crew' };
  await done(operator('POST', `/tenants/${slug}/role-mappings`, mapping));
  const crew = await done(scim('POST', '/Groups', { ...group, displayName: 'Crew' }));
  await done(scim('DELETE', `/Groups/${crew}`));
  await done(scim('DELETE', `/Users/${ada}`));

  const list = await done(native('POST', '/sms-lists', { name: 'On call' }));
  const numbers = ['+4915112345678', '+4915112345679'];
  const sms = `/sms-lists/${list}`;
  await done(native('PATCH', sms, { name: 'Night shift' }));
  const joining = numbers.map((phone_number) => ({ phone_number }));
  await done(native('POST', `${sms}/members`, { members: joining }));
  await done(native('POST', `${sms}/members/remove`, { phone_numbers: numbers }));
  await done(native('DELETE', sms));
};

it('every event there is arrives in the shape that the API’s document gives it', async () => {
  const target = { url: receiver().url, events: ['*'] };
  await done(tenant.native('POST', '/webhooks', target));
  await live();
  const { body } = await tenant.native<{ events: { seq: number }[] }>('GET', '/events?limit=500');
  const deliveries = await receiver().received(body.events.length, 15_000);
  const shapes = new Map(EVENT_SHAPES.map((shape) => [shape.name, shape.body]));
  const faults = deliveries.flatMap(({ headers, json }) => {
    const event = (json as { readonly event: string }).event;
    expect(headers['x-service-event']).toBe(event);
    const parsed = shapes.get(event)?.safeParse(json);
    return parsed?.success ? [] : [{ event, issues: parsed?.error.issues }];
  });
  expect(faults).toEqual([]);
  const names = new Set(deliveries.map(({ json }) => (json as { readonly event: string }).event));
  expect([...names].sort()).toEqual([...EVENT_NAMES].sort());
  const pulled = new Map(body.events.map((event) => [event.seq, event]));
  for (const { json } of deliveries)
    expect(json).toEqual(pulled.get((json as { readonly seq: number }).seq));
}, 60_000);
