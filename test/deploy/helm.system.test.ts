import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { TestGateway } from '../support/gateway.js';
import { expectVariables, readDeployFile, ROOT } from './deploy-file.js';
import { findMistakes } from './check-manifests.js';

const run = promisify(execFile);
const CHART = 'deploy/helm/rollgate';
/** helm on this machine: a program of that name, or the one that this variable names. */
const HELM = process.env['HELM'] ?? 'helm';
const hasHelm = await run(HELM, ['version', '--short']).then(
  () => true,
  () => false,
);
if (!hasHelm)
  process.stderr.write('Skipped: helm is not on this machine (or set HELM to its path).\n');

interface Container {
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly securityContext: object;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly [probe: string]: unknown;
}

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly spec: {
    readonly replicas: number;
    readonly template: {
      readonly spec: {
        readonly containers: readonly [Container];
        readonly terminationGracePeriodSeconds: number;
        readonly enableServiceLinks: boolean;
        readonly securityContext: object;
      };
    };
    readonly endpoints: readonly { readonly path: string; readonly port: string }[];
    readonly rules: readonly {
      readonly http: { readonly paths: readonly { readonly path: string }[] };
    }[];
  };
}

const EVERYTHING = [
  ...['--set', 'ingress.enabled=true', '--set', 'ingress.tlsSecret=tls'],
  ...['--set', 'ingress.className=nginx', '--set', 'serviceMonitor.enabled=true'],
  ...['--set', 'settings.ROLLGATE_LOG_LEVEL=debug', '--set', 'podAnnotations.a=b'],
];

const render = async (...words: readonly string[]): Promise<readonly Manifest[]> => {
  const options = ['--kube-version', '1.31.0', ...words];
  const { stdout } = await run(HELM, ['template', 'prod', CHART, ...options], { cwd: ROOT });
  return parseAllDocuments(stdout)
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null);
};

const gateway = TestGateway.use();

describe('the chart', () => {
  it('has the version of the package', () => {
    const { appVersion } = parse(readDeployFile(`${CHART}/Chart.yaml`)) as { appVersion: string };
    const { version } = JSON.parse(readDeployFile('package.json')) as { version: string };
    expect(appVersion).toBe(version);
  });
});

describe.skipIf(!hasHelm)('the rendered chart', () => {
  let all: readonly Manifest[];
  const of = (kind: string): Manifest => all.find((manifest) => manifest.kind === kind)!;
  beforeAll(async () => {
    all = await render(...EVERYTHING);
  });

  it('passes helm lint without a warning', async () => {
    const { stdout } = await run(HELM, ['lint', '--strict', CHART], { cwd: ROOT });
    expect(stdout).toContain('1 chart(s) linted, 0 chart(s) failed');
  });

  it('has what Kubernetes knows, and leaves out what is optional', async () => {
    expect(all.map(({ kind }) => kind).sort()).toEqual([
      'Deployment',
      'Ingress',
      'PodDisruptionBudget',
      'Service',
      'ServiceAccount',
      'ServiceMonitor',
    ]);
    expect(await findMistakes(all)).toEqual([]);
    const least = await render();
    expect(least.map(({ kind }) => kind)).not.toContain('Ingress');
    expect(least.map(({ kind }) => kind)).not.toContain('ServiceMonitor');
  });

  it('is checked by types that know every field', async () => {
    const wrong = JSON.parse(
      JSON.stringify(of('Deployment')).replace('"httpGet"', '"httpget"'),
    ) as Manifest;
    expect(await findMistakes([wrong])).toEqual([expect.stringContaining('httpget')]);
  });

  it('sets variables that a gateway reads, from files that it mounts', () => {
    const [container] = of('Deployment').spec.template.spec.containers;
    const env = new Map(container.env.map(({ name, value }) => [name, value]));
    expectVariables(env.keys());
    expect(env.get('ROLLGATE_PORT')).toBe(String(container.ports[0]!.containerPort));
    const mounts = container.volumeMounts.map(({ mountPath }) => mountPath);
    for (const [name, value] of env)
      if (name.endsWith('_FILE') || name.endsWith('_DIR'))
        expect(mounts.some((mount) => value === mount || value.startsWith(`${mount}/`))).toBe(true);
    expect(of('Deployment').spec.template.spec.enableServiceLinks).toBe(false);
  });

  it('asks paths that a gateway answers', async () => {
    const { url } = await gateway.open();
    const [container] = of('Deployment').spec.template.spec.containers;
    const probes = ['startupProbe', 'readinessProbe', 'livenessProbe'].map(
      (name) => (container[name] as { httpGet: { path: string; port: string } }).httpGet,
    );
    expect(probes.map(({ path }) => path)).toEqual(['/readyz', '/readyz', '/healthz']);
    const metrics = of('ServiceMonitor').spec.endpoints[0]!.path;
    for (const path of [...probes.map((probe) => probe.path), metrics])
      expect((await fetch(url + path)).status).toBe(200);
    for (const { port } of probes) expect(port).toBe(container.ports[0]!.name);
    const routed = of('Ingress').spec.rules[0]!.http.paths.map(({ path }) => path);
    expect(routed).not.toContain(metrics);
    for (const path of ['/v1', '/admin/v1', '/docs', '/openapi.json'])
      expect(routed).toContain(path);
  });

  it('meets the restricted Pod Security Standard', () => {
    const { spec } = of('Deployment').spec.template;
    expect(spec.securityContext).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(spec.containers[0].securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      privileged: false,
      capabilities: { drop: ['ALL'] },
    });
  });

  it('gives a pod more time to stop than the gateway needs', async () => {
    const [deployment] = (await render('--set', 'shutdownGraceSeconds=60')).filter(
      ({ kind }) => kind === 'Deployment',
    );
    const { terminationGracePeriodSeconds, containers } = deployment!.spec.template.spec;
    expect(terminationGracePeriodSeconds).toBe(85);
    expect(containers[0].env).toContainEqual({
      name: 'ROLLGATE_SHUTDOWN_GRACE_SECONDS',
      value: '60',
    });
  });

  it('refuses values that do not exist', async () => {
    await expect(render('--set', 'replica=3')).rejects.toThrow(/replica/);
    await expect(render('--set', 'settings.LOG_LEVEL=debug')).rejects.toThrow(/LOG_LEVEL/);
  });
});
