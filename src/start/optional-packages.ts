import { createRequire } from 'node:module';
import type { Config } from '../../config/load-config.js';

/** A setting that needs packages which are not installed with Rollgate. */
export interface MissingPackages {
  readonly setting: readonly string[];
  /** How to install them. */
  readonly message: string;
}

/** OTEL_EXPORTER_OTLP_ENDPOINT is OpenTelemetry's own. */
export const tracingEndpoint = (
  { telemetry }: Pick<Config, 'telemetry'>,
  env: NodeJS.ProcessEnv,
): string | undefined => telemetry.endpoint ?? (env.OTEL_EXPORTER_OTLP_ENDPOINT || undefined);

const TRACING = [
  '@opentelemetry/sdk-trace-base',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/resources',
];

/** The settings with which a gateway would not start here. */
export const findMissingPackages = (
  config: Pick<Config, 'telemetry' | 'operators'>,
  env: NodeJS.ProcessEnv,
  isInstalled: (name: string) => boolean = isInstalledHere,
): readonly MissingPackages[] => {
  const { issuer } = config.operators.oidc;
  return [
    ...(tracingEndpoint(config, env) === undefined
      ? []
      : [{ setting: ['telemetry', 'endpoint'], names: TRACING }]),
    ...(issuer === null
      ? []
      : [{ setting: ['operators', 'oidc', 'issuer'], names: ['openid-client'] }]),
  ].flatMap(({ setting, names }) => {
    if (names.every(isInstalled)) return [];
    const command = `npm install ${names.join(' ')}`;
    return {
      setting,
      message: `needs packages that are not installed; run where Rollgate is installed: ${command}`,
    };
  });
};

const { resolve } = createRequire(import.meta.url);

const isInstalledHere = (name: string): boolean => {
  try {
    return resolve(name) !== '';
  } catch (error) {
    // Another code: it is installed, for `import` only.
    return (error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND';
  }
};
