import { beforeAll, expect, it } from 'vitest';
import { EVENT_SHAPES } from '../../src/routes/event-feed.js';
import { EVENT_NAMES } from '../../src/domain/events.js';
import { type ApiResponse, TestGateway, type TestTenant, useReceiver } from '../support/gateway.js';
import { GROUP_URN, USER_URN } from '../support/scim-urns.js';

const { open, receiver, env } = useReceiver();
const gateway = TestGateway.use(env);
let tenant: TestTenant;

const idFrom = async (response: Promise<ApiResponse>): Promise<string> => {
  const { status, body } = await response;
  if (status >= 300) throw new Error(JSON.stringify(body));
  return body.id as string;
};

beforeAll(async () => {
  await open();
  tenant = await gateway.tenant();
});

/** Causes an event of every kind. */
const causeAllEvents = async (): Promise<void> => {
  const { native, scim, slug } = tenant;
  const operator = await gateway.operator();
  const ada = await idFrom(
    scim('POST', '/Users', { schemas: [USER_URN], userName: 'ada@example.com' }),
  );
  const bob = await idFrom(
    native('POST', '/users', { email: 'bob@example.com', display_name: 'Bob' }),
  );
  await idFrom(native('PATCH', `/users/${bob}`, { display_name: 'Robert' }));
  await idFrom(native('DELETE', `/users/${bob}`));
  await idFrom(native('PATCH', `/users/${bob}`, { active: true }));

  await idFrom(operator('POST', `/tenants/${slug}/rooms`, { name: 'Dispatch' }));
  const members = [{ value: ada }];
  const group = { schemas: [GROUP_URN], displayName: 'Dispatch', members };
  const dispatch = await idFrom(scim('POST', '/Groups', group));
  const { body } = await native<{ rooms: { id: string }[] }>('GET', '/rooms');
  const room = `/rooms/${body.rooms[0]!.id}`;
  await idFrom(native('POST', `${room}/members`, { user_id: bob, tx_permission: true }));
  await idFrom(native('PATCH', `${room}/members/${bob}`, { tx_permission: false }));
  await idFrom(native('PATCH', room, { external_id: 'idp-7' }));
  await idFrom(native('DELETE', `${room}/members/${ada}`));
  await idFrom(scim('DELETE', `/Groups/${dispatch}`));
  const mapping = { group_display_name: 'Crew', role: 'crew' };
  await idFrom(operator('POST', `/tenants/${slug}/role-mappings`, mapping));
  const crew = await idFrom(scim('POST', '/Groups', { ...group, displayName: 'Crew' }));
  await idFrom(scim('DELETE', `/Groups/${crew}`));
  await idFrom(scim('DELETE', `/Users/${ada}`));

  const list = await idFrom(native('POST', '/sms-lists', { name: 'On call' }));
  const numbers = ['+4915112345678', '+4915112345679'];
  const sms = `/sms-lists/${list}`;
  await idFrom(native('PATCH', sms, { name: 'Night shift' }));
  const joining = numbers.map((phone_number) => ({ phone_number }));
  await idFrom(native('POST', `${sms}/members`, { members: joining }));
  await idFrom(native('POST', `${sms}/members/remove`, { phone_numbers: numbers }));
  await idFrom(native('DELETE', sms));
};

it('every event is delivered in the shape that the OpenAPI document describes', async () => {
  const target = { url: receiver().url, events: ['*'] };
  await idFrom(tenant.native('POST', '/webhooks', target));
  await causeAllEvents();
  const { body } = await tenant.native<{ events: { seq: number }[] }>('GET', '/events?limit=500');
  const deliveries = await receiver().received(body.events.length, 15_000);
  const shapes = new Map(EVENT_SHAPES.map((shape) => [shape.name, shape.body]));
  const errors = deliveries.flatMap(({ headers, json }) => {
    const event = (json as { readonly event: string }).event;
    expect(headers['x-service-event']).toBe(event);
    const parsed = shapes.get(event)?.safeParse(json);
    return parsed?.success ? [] : [{ event, issues: parsed?.error.issues }];
  });
  expect(errors).toEqual([]);
  const names = new Set(deliveries.map(({ json }) => (json as { readonly event: string }).event));
  expect([...names].sort()).toEqual([...EVENT_NAMES].sort());
  const pulled = new Map(body.events.map((event) => [event.seq, event]));
  for (const { json } of deliveries)
    expect(json).toEqual(pulled.get((json as { readonly seq: number }).seq));
}, 60_000);
