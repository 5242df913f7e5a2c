import { existsSync, statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { resolve as resolvePackage } from 'import-meta-resolve';
import { z } from 'zod';
import type { Plugin } from '../contract/contract.js';
import type { Connector } from '../contract/connector-contract.js';
import { API_VERSION } from '../contract/extension.js';

/** An extension as it was found. */
export interface ImportedExtension<Extension> {
  readonly extension: Extension;
  /** The file that it comes from: two sections with the same one use the same extension. */
  readonly url: string;
}

/** An extension cannot be used; the message continues a sentence that begins with the setting. */
export class ExtensionError extends Error {
  override readonly name = 'ExtensionError';
}

/**
 * Imports a plugin: a path, relative to the folder, or the name of a package that is installed where
 * the folder can find it. Rejects with an ExtensionError.
 */
export const importPlugin = (use: string, folder: string): Promise<ImportedExtension<Plugin>> =>
  importExtension(use, folder, 'plugin') as Promise<ImportedExtension<Plugin>>;

/** Imports a connector, found like a plugin. */
export const importConnector = (
  use: string,
  folder: string,
): Promise<ImportedExtension<Connector>> =>
  importExtension(use, folder, 'connector') as Promise<ImportedExtension<Connector>>;

type Kind = 'plugin' | 'connector';

const importExtension = async (
  use: string,
  folder: string,
  kind: Kind,
): Promise<ImportedExtension<unknown>> => {
  const url = isPath(use) ? urlOfFile(use, folder, kind) : urlOfPackage(use, folder);
  const exported = await readExport(use, url);
  requireShape(exported, use, kind);
  return { url, extension: exported };
};

const isPath = (use: string): boolean => use.startsWith('.') || isAbsolute(use);

const urlOfFile = (use: string, folder: string, kind: Kind): string => {
  const path = resolve(folder, use);
  if (!existsSync(path)) throw new ExtensionError(`the file ${path} does not exist`);
  if (!statSync(path).isFile())
    throw new ExtensionError(`${path} is a folder; name the file of the ${kind} in it`);
  return pathToFileURL(path).href;
};

const urlOfPackage = (use: string, folder: string): string => {
  const missing = new ExtensionError(
    `the package "${use}" is not installed in ${folder} or a folder above it; install it there, ` +
      'or begin the path of a file with "./"',
  );
  try {
    const url = resolvePackage(use, pathToFileURL(resolve(folder, 'rollgate.yaml')).href);
    if (url.startsWith('file:') && existsSync(fileURLToPath(url))) return url;
  } catch {
    throw missing;
  }
  throw missing;
};

/** The default export, or what it returns if it is a function: that one is passed the contract. */
export const importDefault = async (url: string): Promise<unknown> => {
  const { default: exported } = (await import(/* @vite-ignore */ url)) as { default?: unknown };
  if (typeof exported !== 'function') return exported;
  return (exported as (api: unknown) => unknown)(await import('../api.js'));
};

const readExport = async (use: string, url: string): Promise<unknown> => {
  try {
    return await importDefault(url);
  } catch (cause) {
    throw new ExtensionError(`importing ${use} failed: ${describe(cause)}`, { cause });
  }
};

const describe = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const text = `${error.name}: ${(error.message.split('\n')[0] ?? '').trim()}`;
  // The error itself does not say where.
  return error instanceof SyntaxError ? `${text}; "node --check" shows the line` : text;
};

const text = z.string().min(1);
const method = z.custom((value) => typeof value === 'function');

const schema = z.custom((value) => value instanceof Object && 'safeParse' in value);

const Shape = {
  name: text,
  title: text,
  description: text,
  settings: schema.optional(),
  start: method,
};

const SHAPES: Readonly<Record<Kind, z.ZodType>> = {
  plugin: z.looseObject(Shape),
  connector: z.looseObject({
    ...Shape,
    record: schema,
    mapping: z.record(z.string(), z.unknown()),
    triedAgainst: z.enum(['server', 'description']),
  }),
};

const DEFINED_BY: Readonly<Record<Kind, string>> = {
  plugin: 'definePlugin',
  connector: 'defineConnector',
};

const requireShape = (exported: unknown, use: string, kind: Kind): void => {
  if (typeof exported !== 'object' || exported === null)
    throw new ExtensionError(
      `${use} is not a ${kind}: its default export must be what ${DEFINED_BY[kind]} returns, or a ` +
        'function that returns it',
    );
  const { apiVersion } = exported as { readonly apiVersion?: unknown };
  if (apiVersion !== API_VERSION)
    throw new ExtensionError(
      apiVersion === undefined
        ? `${use} is not a ${kind}: it does not state its apiVersion`
        : `${use} is written for version ${JSON.stringify(apiVersion)} of the plugin API, and this gateway ` +
            `has version ${API_VERSION}; install a release of it for version ${API_VERSION}`,
    );
  if (kind === 'plugin' && 'triedAgainst' in exported)
    throw new ExtensionError(`${use} is a connector; configure it under "connectors"`);
  const { error } = SHAPES[kind].safeParse(exported);
  const [issue] = error?.issues ?? [];
  if (issue)
    throw new ExtensionError(
      `${use} is not a ${kind}: its ${issue.path.join('.')} is missing or malformed`,
    );
};
