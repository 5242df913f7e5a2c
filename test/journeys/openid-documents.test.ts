import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { openOpenIdProvider } from '../../src/start/openid-provider.js';
import { createCleanup } from '../../tools/shared/cleanup.js';

const cleanup = createCleanup();
afterEach(cleanup.run);

it('a document of the OpenID provider that is too long is not read to its end', async () => {
  let sent = 0;
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const more = (): void => {
      // 64 MiB, unless the connection ends before.
      for (; sent < 1_024 && !response.destroyed; sent += 1)
        if (!response.write(' '.repeat(65_536))) {
          response.once('drain', more);
          return;
        }
      response.end('{}');
    };
    more();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanup.defer(() => new Promise((resolve) => server.close(resolve)));
  cleanup.defer(() => server.closeAllConnections());
  const quiet = { info: () => undefined, warn: () => undefined };
  const provider = await openOpenIdProvider(
    {
      name: 'Company',
      issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      clientId: 'rollgate',
      clientSecret: null,
      scopes: ['openid'],
      groupsClaim: 'groups',
      stepUp: { maxAge: 300_000 },
    } as never,
    quiet,
  );
  const begun = provider?.begin({ redirectUri: 'http://127.0.0.1/callback', isStepUp: false });
  await expect(begun).rejects.toThrow(/more than 1 MiB|OAUTH/);
  expect(sent).toBeLessThan(1_024);
});
