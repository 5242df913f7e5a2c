import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SCOPES } from '../../../src/domain/scopes.js';
import { createApiClient } from '../../../tools/shared/api-client.js';
import { type Cleanup, temporaryFolder } from '../../../tools/shared/cleanup.js';
import { type GatewayProcess, startGatewayProcess } from '../../../tools/shared/gateway-process.js';

const HOOKS = fileURLToPath(new URL('hooks.py', import.meta.url));

/** One run: the operations of one credential. */
export interface FuzzRun {
  /** A scope, `all scopes` or `admin token`. */
  readonly name: string;
  readonly token: string;
  /** Options of schemathesis that select operations and phases. */
  readonly options: readonly string[];
}

export interface FuzzTarget {
  readonly url: string;
  readonly runs: readonly FuzzRun[];
  /** Of a run, `attempts` cases for each operation, within `seconds`. */
  readonly fuzz: (run: FuzzRun, bounds: FuzzBounds) => Promise<FuzzResult>;
}

export interface FuzzBounds {
  readonly seconds: number;
  readonly attempts: number;
  readonly seed: number;
}

export interface FuzzResult {
  readonly passed: boolean;
  readonly output: string;
}

const ADMIN_TOKEN = 'an-operators-token-for-schemathesis';
const SLUG = 'fuzzed';

/** Limits that the runs are not about are far away. */
const SETTINGS = {
  ROLLGATE_ADMIN_TOKEN: ADMIN_TOKEN,
  ROLLGATE_LOG_LEVEL: 'error',
  ROLLGATE_RATE_LIMIT: '10000000',
  ROLLGATE_RATE_LIMIT_OPERATORS_PER_MINUTE: '10000000',
  ROLLGATE_RATE_LIMIT_FAILED_AUTHENTICATIONS_PER_MINUTE: '10000000',
};

/** Operations that would take the credentials away from the run, and others for the reason stated. */
const NOT_CALLED = [
  'rotateAdminToken',
  // Its schema is that of the data of an event; schemathesis expects whole events.
  'streamCommands',
  // For sessions of a setup link only, which no run has.
  'createSetupKey',
];

const CONFIG = `
[parameters]
"path.tenantSlug" = "${SLUG}"
"path.slug" = "${SLUG}"

# The tenant of the run stays; another one takes the deletions.
[[operations]]
include-operation-id = "deleteTenant"
parameters = { "path.slug" = "gone" }
`;

/** hooks.py has others in their place. */
const REPLACED =
  'positive_data_acceptance,negative_data_rejection,use_after_free,ensure_resource_availability';
const CHECKS = ['--checks', 'all', '--exclude-checks', REPLACED];

/** Starts a gateway with a tenant, and a key for each scope. */
export const openFuzzTarget = async (
  program: string,
  uri: string,
  cleanup: Cleanup,
): Promise<FuzzTarget> => {
  const folder = await temporaryFolder('schemathesis', cleanup);
  const gateway = await startGatewayProcess({
    ...SETTINGS,
    ROLLGATE_DATA_DIR: folder,
    ROLLGATE_MONGODB_URI: uri,
  });
  cleanup.defer(gateway.stop);
  await writeFile(join(folder, 'schemathesis.toml'), CONFIG);
  return {
    url: gateway.url,
    runs: await createRuns(gateway),
    fuzz: (run, bounds) => fuzz({ program, folder, url: gateway.url }, run, bounds),
  };
};

const EACH = ['--phases', 'examples,coverage,fuzzing'];

const createRuns = async ({ url }: GatewayProcess): Promise<readonly FuzzRun[]> => {
  const operator = createApiClient(() => `${url}/admin/v1/tenants`, ADMIN_TOKEN);
  await operator.expect(201, 'POST', '', {
    slug: SLUG,
    name: SLUG,
    room_provisioning: 'automatic',
  });
  const keyFor = async (scopes: readonly string[]): Promise<string> => {
    const body = { description: 'schemathesis', scopes };
    const response = await operator.expect(201, 'POST', `/${SLUG}/api-keys`, body);
    return (response.json() as { readonly key: string }).key;
  };
  const scopes = [...SCOPES, 'webhooks'];
  const runs: FuzzRun[] = [];
  for (const scope of scopes)
    runs.push({
      name: scope,
      token: await keyFor([scope]),
      options: [...EACH, '--include-by', `/x-required-scope == "${scope}"`],
    });
  return [
    ...runs,
    {
      name: 'all scopes',
      token: await keyFor(scopes),
      options: ['--phases', 'stateful', '--include-path-regex', '^/v1/'],
    },
    {
      name: 'admin token',
      token: ADMIN_TOKEN,
      options: ['--include-path-regex', '^/admin/'],
    },
  ];
};

interface Place {
  readonly program: string;
  readonly folder: string;
  readonly url: string;
}

const fuzz = async (
  { program, folder, url }: Place,
  { token, options }: FuzzRun,
  { seconds, attempts, seed }: FuzzBounds,
): Promise<FuzzResult> => {
  const words = [
    ...['--config-file', join(folder, 'schemathesis.toml')],
    ...['run', `${url}/openapi.json`, '--url', url, ...CHECKS, ...options],
    ...NOT_CALLED.flatMap((id) => ['--exclude-operation-id', id]),
    ...['--header', `Authorization: Bearer ${token}`],
    ...['--seed', `${seed}`, '--max-examples', `${attempts}`, '--max-time', `${seconds}`],
    ...['--generation-database', 'none', '--continue-on-failure', '--no-color'],
    ...['--warnings', 'off'],
  ];
  const child = spawn(program, words, {
    cwd: folder,
    env: {
      ...process.env,
      SCHEMATHESIS_HOOKS: HOOKS,
      PYTHONDONTWRITEBYTECODE: '1',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => void (output += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { passed: code === 0, output };
};
