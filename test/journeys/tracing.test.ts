import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { TestGateway, type TestTenant, useReceiver } from '../support/gateway.js';

interface ExportedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
}

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: ExportedSpan['attributes'] };
    readonly scopeSpans: readonly { readonly spans: readonly ExportedSpan[] }[];
  }[];
}

/** An OTLP/HTTP receiver. */
const spans: ExportedSpan[] = [];
const services = new Set<string>();
let collector: Server | undefined;

const openCollector = async (): Promise<string> => {
  collector = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { resourceSpans } = JSON.parse(Buffer.concat(chunks).toString()) as Export;
      for (const { resource, scopeSpans } of resourceSpans) {
        for (const { key, value } of resource.attributes)
          if (key === 'service.name') services.add(JSON.stringify(value));
        spans.push(...scopeSpans.flatMap((scope) => scope.spans));
      }
      response.end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(collector, 'listening');
  return `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
};

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const TRACEPARENT = `00-${TRACE}-${PARENT}-01`;

const hooks = useReceiver();
let endpoint = '';
const gateway = TestGateway.use(() => ({
  ...hooks.env(),
  ROLLGATE_TELEMETRY_ENDPOINT: endpoint,
}));

afterAll(() => collector?.close());

const named = (name: string): readonly ExportedSpan[] =>
  spans.filter((span) => span.traceId === TRACE && span.name === name);

const attribute = (span: ExportedSpan, name: string): string =>
  JSON.stringify(span.attributes.find(({ key }) => key === name)?.value);

describe('with an endpoint', () => {
  let tenant: TestTenant;
  beforeAll(async () => {
    endpoint = await openCollector();
    await hooks.open();
    tenant = await gateway.tenant();
    await tenant.native('POST', '/webhooks', { url: hooks.receiver().url, events: ['*'] });
    const user = { email: 'ada@example.com', display_name: 'Ada Lovelace' };
    const created = await tenant.native('POST', '/users', user, { traceparent: TRACEPARENT });
    expect(created.status).toBe(201);
    await hooks.receiver().received(1);
    await eventually(() => expect(named('deliver user.created')).toHaveLength(1));
  });

  it('continues the trace of the client with a span for the request', () => {
    const [request] = named('POST /v1/{tenantSlug}/users');
    expect(request).toMatchObject({ parentSpanId: PARENT });
    expect(attribute(request!, 'http.response.status_code')).toBe('{"intValue":201}');
    expect(attribute(request!, 'rollgate.tenant')).toContain(tenant.slug);
    expect([...services]).toEqual(['{"stringValue":"rollgate"}']);
  });

  it('has the command below it, with its wait, its decision and its commit', () => {
    const [request] = named('POST /v1/{tenantSlug}/users');
    const [command] = named('command user.create');
    expect(command).toMatchObject({ parentSpanId: request!.spanId });
    expect(attribute(command!, 'rollgate.outcome')).toBe('{"stringValue":"applied"}');
    const stages = ['lane wait', 'decide', 'commit'].map((name) => named(name));
    for (const [stage] of stages) expect(stage).toMatchObject({ parentSpanId: command!.spanId });
    // One after the other, within the command.
    const times = stages.flatMap(([stage]) => [stage!.startTimeUnixNano, stage!.endTimeUnixNano]);
    const all = [command!.startTimeUnixNano, ...times, command!.endTimeUnixNano].map(BigInt);
    expect(all).toEqual(all.toSorted((one, other) => (one < other ? -1 : 1)));
  });

  it('has the delivery below the command, and passes the trace on to the receiver', () => {
    const [command] = named('command user.create');
    const [delivery] = named('deliver user.created');
    expect(delivery).toMatchObject({ parentSpanId: command!.spanId });
    const sent = hooks.receiver().requests.map(({ headers }) => headers['traceparent']);
    expect(sent).toContain(`00-${TRACE}-${delivery!.spanId}-01`);
  });

  it('begins a trace of its own without a valid one, and has none of probes', async () => {
    const before = spans.length;
    await fetch(`${(await gateway.open()).url}/readyz`);
    await tenant.native('GET', '/usage', undefined, { traceparent: '00-zz-zz-00' });
    await eventually(() => {
      const [own] = spans.slice(before).filter(({ name }) => name === 'GET /v1/{tenantSlug}/usage');
      expect(own?.traceId).toMatch(/^[0-9a-f]{32}$/);
      expect(own?.parentSpanId).toBeFalsy();
    });
    expect(spans.filter(({ name }) => name.includes('readyz'))).toEqual([]);
  });

  it('contains no personal data', () => {
    expect(JSON.stringify(spans)).not.toMatch(/ada@example|Lovelace/i);
  });
});

describe('without an endpoint', () => {
  const silent = TestGateway.use(() => hooks.env());

  it('sends webhooks without a trace', async () => {
    const tenant = await silent.tenant();
    await tenant.native('POST', '/webhooks', {
      url: `${hooks.receiver().url}/silent`,
      events: ['*'],
    });
    const user = { email: 'ada@example.com', display_name: 'Ada' };
    await tenant.native('POST', '/users', user, { traceparent: TRACEPARENT });
    const sent = await eventually(() => {
      const found = hooks.receiver().requests.find(({ path }) => path === '/silent');
      expect(found).toBeDefined();
      return found!;
    });
    expect(sent.headers).not.toHaveProperty('traceparent');
  });
});
