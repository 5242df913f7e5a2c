import { readFile, stat } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Authority, createAuthority } from '../../tools/shared/authority.js';
import { createCleanup, temporaryFolder } from '../../tools/shared/cleanup.js';
import { findNginx, startNginxServer } from '../support/servers/nginx-server.js';
import { LOOPBACK } from '../support/servers/server-process.js';
import { LONG_BODY_LIMIT } from '../../src/http/json/read-json.js';
import { TestGateway } from '../support/gateway.js';
import { type RawMongod, startRawMongod } from '../support/raw-mongod.js';
import { expectVariables, readDeployFile, ROOT } from './deploy-file.js';

interface Service {
  readonly image: string;
  readonly networks: readonly string[];
  readonly command?: readonly string[];
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly read_only?: boolean;
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean }>>;
}

const compose = parse(readDeployFile('deploy/compose/compose.yaml'), { merge: true }) as Compose;
const nginx = readDeployFile('deploy/compose/nginx.conf');
const port = /^EXPOSE (\d+)$/m.exec(readDeployFile('deploy/docker/Dockerfile'))![1]!;

const cleanup = createCleanup();
afterAll(cleanup.run);
const software = await findNginx();

const servicesLike = (prefix: string): readonly (readonly [string, Service])[] =>
  Object.entries(compose.services).filter(([name]) => new RegExp(`^${prefix}-\\d$`).test(name));
const gateways = servicesLike('gateway');
const members = servicesLike('mongo');

describe('compose.yaml', () => {
  it('runs two gateways, which read the settings it gives them', () => {
    expect(gateways).toHaveLength(2);
    for (const [, { environment = {}, read_only }] of gateways) {
      expectVariables(Object.keys(environment));
      expect(read_only).toBe(true);
      const secrets = Object.keys(compose.secrets).map((name) => `/run/secrets/${name}`);
      for (const [name, value] of Object.entries(environment))
        if (name.endsWith('_FILE')) expect(secrets).toContain(value);
    }
  });

  it('connects them to three members, which nothing else can reach', () => {
    expect(members).toHaveLength(3);
    const uri = gateways[0]![1].environment!['ROLLGATE_MONGODB_URI']!;
    expect(/mongodb:\/\/([^/]+)\/rollgate\?replicaSet=rs0$/.exec(uri)![1]!.split(',')).toEqual(
      members.map(([name]) => `${name}:27017`),
    );
    for (const [, { ports, networks, command }] of members) {
      expect(ports).toBeUndefined();
      expect(networks).toEqual(['database']);
      expect(command!.join(' ')).toContain('--replSet rs0');
    }
    expect(compose.networks['database']?.internal).toBe(true);
  });

  it('asks gateways whether they are ready', async () => {
    const [, ...words] = gateways[0]![1].healthcheck!.test;
    expect(words.join(' ')).toContain(`http://127.0.0.1:${port}/readyz`);
    const { url } = await gateway.open();
    const check = words.map((word) => word.replace(`http://127.0.0.1:${port}`, url));
    await promisify(execFile)(check[0]!, check.slice(1));
  });

  it('mounts files that exist, or that make-secrets.sh creates', async () => {
    const folder = await temporaryFolder('compose', cleanup);
    await cp(join(ROOT, 'deploy/compose'), folder, {
      recursive: true,
      filter: (path) => !path.includes('private'),
    });
    const make = () => promisify(execFile)('sh', [join(folder, 'make-secrets.sh')]);
    await make();
    const mounted = Object.values(compose.services)
      .flatMap(({ volumes = [] }) => volumes)
      .map((volume) => volume.split(':')[0]!)
      .filter((path) => path.startsWith('.'));
    const files = [...mounted, ...Object.values(compose.secrets).map(({ file }) => file)];
    for (const path of files) await stat(join(folder, path));
    for (const [, name] of nginx.matchAll(/ssl_certificate(?:_key)? (\S+);/g))
      await stat(join(folder, 'private', name!));
    const keyFile = join(folder, 'private/secrets/secret-key');
    const key = await readFile(keyFile, 'utf8');
    expect(Buffer.from(key.trim(), 'base64')).toHaveLength(32);
    // Only the owner can open the folder, and a second run replaces nothing.
    expect((await stat(join(folder, 'private'))).mode & 0o077).toBe(0);
    await make();
    expect(await readFile(keyFile, 'utf8')).toBe(key);
  });
});

describe('init-replica-set.js', () => {
  const script = readDeployFile('deploy/compose/init-replica-set.js');

  /** Runs it as mongosh does, which waits for every command by itself. */
  const runScript = async (started: readonly RawMongod[]): Promise<readonly string[]> => {
    const awaiting = script
      .replace(/\b(?:db\.adminCommand|sleep|stateOf|initiate|hasPrimary|attempt)\(/g, 'await $&')
      .replace(/= \(\) =>/g, '= async () =>')
      .replace("['mongo-1:27017', 'mongo-2:27017', 'mongo-3:27017']", 'hosts');
    const printed: string[] = [];
    await (runInNewContext(`(async () => {${awaiting}})()`, {
      db: { adminCommand: started[0]!.command },
      hosts: started.map(({ host }) => host),
      print: (line: string) => printed.push(line),
      sleep: (ms: number) => new Promise((resolve) => setTimeout(resolve, ms)),
    }) as Promise<void>);
    return printed;
  };

  it('initiates the members, and does nothing when it runs again', async () => {
    expect(script).toContain(
      JSON.stringify(members.map(([name]) => `${name}:27017`))
        .replaceAll('"', "'")
        .replaceAll(',', ', '),
    );
    const started: RawMongod[] = [];
    for (const [, { command }] of members) {
      const [, name = ''] = /--replSet (\S+)/.exec(command!.join(' '))!;
      const member = await startRawMongod('--replSet', name);
      cleanup.defer(member.kill);
      started.push(member);
    }
    expect(await runScript(started)).toContain('The replica set has a primary.');
    const { set, members: configured } = (await started[0]!.command({ replSetGetStatus: 1 })) as {
      readonly set: string;
      readonly members: readonly unknown[];
    };
    expect({ set, count: configured.length }).toEqual({ set: 'rs0', count: 3 });
    expect(await runScript(started)).toEqual(['The replica set has a primary.']);
  });
});

const gateway = TestGateway.use((uri) => ({ ROLLGATE_MONGODB_URI: uri }));

describe('nginx.conf', () => {
  it('sends requests to the gateways of compose.yaml', () => {
    const upstream = [...nginx.matchAll(/^\s+server (\S+) /gm)].map(([, server]) => server);
    expect(upstream).toEqual(gateways.map(([name]) => `${name}:${port}`));
    expect(nginx).toContain('listen 8443 ssl;');
    expect(compose.services['proxy']!.ports).toEqual(['${ROLLGATE_HTTPS_PORT:-8443}:8443']);
  });

  it('accepts the largest body that a gateway accepts', () => {
    expect(nginx).toContain(`client_max_body_size ${LONG_BODY_LIMIT / 1024 / 1024}m;`);
  });

  it.skipIf(software === undefined)(
    'passes requests on over TLS while a gateway stops, and hides the metrics',
    async () => {
      const [first, second] = [await gateway.open(), await other.open()];
      const authority = await createAuthority();
      const proxy = await startNginxServer(software!, cleanup, {
        identity: await authority.issue(['localhost', '127.0.0.1']),
        config: ({ port: listen, folder }) =>
          nginx
            // Debian 12 has nginx 1.22, where this is an option of "listen".
            .replace('http2 on;', '')
            .replace('listen 8443', `listen ${LOOPBACK}:${listen}`)
            .replace(`gateway-1:${port}`, new URL(first.url).host)
            .replace(`gateway-2:${port}`, new URL(second.url).host)
            .replaceAll('/tmp/', `${folder}/tmp/`),
      });
      const get = getOverTls(authority, proxy.port);
      expect(await get('/readyz')).toBe(200);
      expect(await get('/metrics')).toBe(404);
      const statuses: number[] = [];
      let stopped = false;
      const requests = (async () => {
        while (!stopped) statuses.push(await get('/healthz'));
      })();
      await first.drain();
      await gateway.stop();
      stopped = true;
      await requests;
      statuses.push(await get('/readyz'));
      expect(new Set(statuses)).toEqual(new Set([200]));
    },
  );
});

const other = TestGateway.use((uri) => ({ ROLLGATE_MONGODB_URI: uri }));

const getOverTls =
  ({ certificate: ca }: Authority, to: number) =>
  (path: string): Promise<number> =>
    new Promise((resolve, reject) => {
      request({ host: LOOPBACK, port: to, path, ca, servername: 'localhost' }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode ?? 0));
      })
        .on('error', reject)
        .end();
    });
