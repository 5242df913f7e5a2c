import { describe, expect, it, vi } from 'vitest';
import { cacheReadiness } from '../../src/http/service-state.js';
import { requestTo } from '../support/ask.js';
import { openEdge } from '../support/edge.js';
import { ALL_ROUTES } from '../support/route-requests.js';

const edge = await openEdge();

describe('/healthz', () => {
  it('returns 200 while the process is up, regardless of other parts', async () => {
    const { app, state } = edge.with({ isReady: () => Promise.resolve(false) });
    state.stop();
    const { status, body } = await requestTo(app).get('/healthz');
    expect([status, body]).toEqual([200, { status: 'ok' }]);
  });
});

describe('/readyz', () => {
  const statusOf = async (isReady: () => Promise<boolean>) =>
    (await requestTo(edge.with({ isReady }).app).get('/readyz')).status;

  it('is 200 while the gateway can serve, else 503', async () => {
    expect(await statusOf(() => Promise.resolve(true))).toBe(200);
    expect(await statusOf(() => Promise.resolve(false))).toBe(503);
    expect(await statusOf(() => Promise.reject(new Error('away')))).toBe(503);
  });

  it('is 503 once the gateway drains, although requests are still served', async () => {
    const { app, state, key } = edge.with();
    await requestTo(app).get('/readyz').expect(200);
    state.drain();
    const { status, body, headers } = await requestTo(app).get('/readyz');
    expect([status, headers['retry-after']]).toEqual([503, '1']);
    expect(body).toEqual({
      error: 'UNAVAILABLE',
      message: 'This gateway is not ready.',
      request_id: headers['x-request-id'],
    });
    const me = await requestTo(app).get('/v1/acme/me').set('Authorization', `Bearer ${key}`);
    expect([me.status, me.headers['connection']]).toEqual([200, 'close']);
  });
});

describe('/readyz of a gateway that has failed', () => {
  it('is 503 with the reason', async () => {
    const { app, state } = edge.with();
    state.fail('The pipeline has stopped.');
    const { status, body } = await requestTo(app).get('/readyz');
    expect([status, body]).toMatchObject([503, { message: 'The pipeline has stopped.' }]);
  });
});

describe('the readiness cache', () => {
  it('checks once per second, regardless of the number of probes', async () => {
    const clock = { now: 0 };
    let checks = 0;
    const isReady = cacheReadiness(
      () => Promise.resolve((checks += 1) > 0),
      () => clock.now,
    );
    await Promise.all([isReady(), isReady()]);
    clock.now = 999;
    await isReady();
    expect(checks).toBe(1);
    clock.now = 1_000;
    await isReady();
    expect(checks).toBe(2);
  });

  it('treats a check that takes longer than a second as failed', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const answer = cacheReadiness(
        () => new Promise<boolean>(() => undefined),
        () => 0,
      )();
      await vi.advanceTimersByTimeAsync(1_000);
      expect(await answer).toBe(false);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('/metrics', () => {
  it('counts requests by method, route and status, without tenants, users or keys', async () => {
    const { app, key } = edge.with();
    const user = '6f1c2c1e-3b0e-4a58-9d7a-0a4c5b1d2e3f';
    await requestTo(app).get(`/v1/acme/users/${user}`).set('Authorization', `Bearer ${key}`);
    await requestTo(app).get('/v1/acme/me');
    await requestTo(app).get('/surprise');
    const { text, headers } = await requestTo(app).get('/metrics').expect(200);
    expect(headers['content-type']).toContain('text/plain');
    const count = 'rollgate_http_requests_total';
    expect(text).toContain(
      `${count}{method="GET",route="/v1/{tenantSlug}/users/{id}",status="404"} 1`,
    );
    // Without a key, responses do not reveal which paths exist, and neither do metrics.
    expect(text).toContain(`${count}{method="GET",route="unmatched",status="401"} 1`);
    expect(text).toContain(`${count}{method="GET",route="unmatched",status="404"} 1`);
    expect(text).toContain(
      'rollgate_http_request_duration_seconds_count{method="GET",route="/v1/{tenantSlug}/users/{id}"} 1',
    );
    expect(text).toContain('nodejs_eventloop_lag_seconds');
    for (const secret of ['acme', user, key.slice(0, 11)]) expect(text).not.toContain(secret);
  });

  it('does not use arbitrary methods as labels', async () => {
    const { app } = edge.with();
    await requestTo(app).propfind('/surprise');
    expect((await requestTo(app).get('/metrics')).text).toContain('method="other"');
  });
});

describe('/openapi.json and /docs/', () => {
  const { app } = edge;

  it('are public and cacheable', async () => {
    for (const path of ['/openapi.json', '/docs/', '/docs/style.css']) {
      const { status, headers } = await requestTo(app).get(path);
      expect([status, headers['cache-control']]).toEqual([200, 'public, max-age=300']);
      await requestTo(app).get(path).set('If-None-Match', headers['etag']!).expect(304);
    }
  });

  it('redirect /docs to /docs/', async () => {
    const { status, headers } = await requestTo(app).get('/docs');
    expect([status, headers['location']]).toEqual([308, '/docs/']);
  });

  it('describe every route', async () => {
    const { body } = await requestTo(app).get('/openapi.json');
    const { paths } = body as { paths: Record<string, Record<string, unknown>> };
    for (const { api, path, method } of ALL_ROUTES) {
      const whole = (api === 'native' ? '/v1/{tenantSlug}' : '/admin/v1') + path;
      expect(Object.keys(paths[whole] ?? {})).toContain(method.toLowerCase());
    }
  });

  it('show each operation with a curl command', async () => {
    const { text } = await requestTo(app).get('/docs/');
    for (const { operationId, summary } of ALL_ROUTES) {
      expect(text).toContain(`<article id="${operationId}">`);
      expect(text).toContain(summary.replaceAll("'", '&#39;'));
    }
    expect(text).toContain('http://gateway.test/v1/acme/users');
    expect(text).not.toMatch(/\*\*|`/);

    expect(text).toContain('$ROLLGATE_ADMIN_TOKEN');
  });

  it('load nothing from other origins and run no scripts', async () => {
    const { text, headers } = await requestTo(app).get('/docs/');
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['content-security-policy']).not.toContain('unsafe');
    expect(text).not.toMatch(/<script|<style|\sstyle=|\son\w+=|src=/);
    const links = [...text.matchAll(/href="([^"]*)"/g)].map(([, link]) => link!);
    const anchors = new Set([...text.matchAll(/ id="([^"]*)"/g)].map(([, id]) => `#${id!}`));
    for (const link of links)
      expect(link.startsWith('#') ? anchors.has(link) : link.startsWith('/')).toBe(true);
  });

  it.each(['/healthz', '/readyz', '/metrics', '/openapi.json', '/docs/'])(
    '%s only supports GET and HEAD',
    async (path) => {
      const { status, headers } = await requestTo(app).post(path);
      expect([status, headers['allow']]).toEqual([405, 'GET, HEAD']);
    },
  );
});
