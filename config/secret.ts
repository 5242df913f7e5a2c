import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { inspect } from 'node:util';
import { ConfigError, type ConfigProblem, describeReadError } from './config-error.js';

/** A secret in the configuration: the value itself or, preferably, a reference. */
export type SecretSource = string | { readonly env: string } | { readonly file: string };

export interface SecretContext {
  readonly env: NodeJS.ProcessEnv;
  /** Base of relative paths. */
  readonly cwd: string;
  /** For errors: where the setting is, and its key. */
  readonly place: string;
  readonly key: string;
}

/** Of a schema that is parsed outside of a configuration. */
const UNPLACED: SecretContext = { env: process.env, cwd: '.', place: 'the settings', key: '' };

/**
 * A setting that must not be shown. It is read only when it is used; in logs and dumps, only its
 * source appears.
 */
export class Secret {
  readonly #source: SecretSource;
  readonly #context: SecretContext;

  constructor(source: SecretSource, context: SecretContext = UNPLACED) {
    this.#source = source;
    this.#context = context;
  }

  /** The same secret, for another setting. */
  placed(context: SecretContext): Secret {
    return new Secret(this.#source, context);
  }

  /** Returns the secret's value; throws a ConfigError if it cannot be found or was pasted badly. */
  reveal(): string {
    const value = this.#value();
    // A PEM file ends with a line break.
    if (value === value.trim() || /\S\s*\n\s*\S/.test(value)) return value;
    throw this.configError('begins or ends with white space; remove it');
  }

  /** The same for a secret that cannot contain white space. */
  revealTrimmed(): string {
    return this.#value().trim();
  }

  #value(): string {
    const source = this.#source;
    if (typeof source === 'string') return source;
    return 'env' in source ? this.#fromEnvironment(source.env) : this.#fromFile(source.file);
  }

  /** Advice if the file with the settings contains the secret itself. */
  exposure(): ConfigProblem | undefined {
    const { place, key } = this.#context;
    if (typeof this.#source !== 'string' || place.startsWith('environment variable'))
      return undefined;
    const message = 'is a secret in plain text; use {env: NAME} or {file: path} instead';
    return { place, key, message };
  }

  /** The error to throw if the secret's value is invalid. */
  configError(message: string): ConfigError {
    return new ConfigError([{ place: this.#context.place, key: this.#context.key, message }]);
  }

  toString(): string {
    const source = this.#source;
    if (typeof source === 'string') return '(hidden)';
    return 'env' in source ? `(from environment variable ${source.env})` : `(from ${source.file})`;
  }

  toJSON(): string {
    return this.toString();
  }

  [inspect.custom](): string {
    return this.toString();
  }

  #fromEnvironment(name: string): string {
    const value = this.#context.env[name];
    if (value) return value;
    throw this.configError(`environment variable ${name} is not set`);
  }

  #fromFile(path: string): string {
    const value = this.#read(path).trim();
    if (value !== '') return value;
    throw this.configError(`file ${path} is empty`);
  }

  #read(path: string): string {
    try {
      return readFileSync(resolve(this.#context.cwd, path), 'utf8');
    } catch (error) {
      throw this.configError(describeReadError(`file ${path}`, error));
    }
  }
}

/** Every secret in settings that were parsed. */
export const secretsIn = (value: unknown): readonly Secret[] => {
  if (value instanceof Secret) return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(secretsIn);
};
