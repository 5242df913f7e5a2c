import { existsSync, statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { resolve as resolvePackage } from 'import-meta-resolve';
import { z } from 'zod';
import { type Plugin } from './contract.js';
import { API_VERSION } from './manifest.js';

/** An extension as it was found. */
export interface ImportedExtension {
  readonly plugin: Plugin;
  /** The file that it comes from: two sections with the same one use the same plugin. */
  readonly url: string;
}

/** An extension cannot be used; the message continues a sentence that begins with the setting. */
export class ExtensionError extends Error {
  override readonly name = 'ExtensionError';
}

/**
 * Imports an extension: a path, relative to the folder, or the name of a package that is installed
 * where the folder can find it. Rejects with an ExtensionError.
 */
export const importExtension = async (use: string, folder: string): Promise<ImportedExtension> => {
  const url = isPath(use) ? urlOfFile(use, folder) : urlOfPackage(use, folder);
  return { url, plugin: requirePlugin(await readExport(use, url), use) };
};

const isPath = (use: string): boolean => use.startsWith('.') || isAbsolute(use);

const urlOfFile = (use: string, folder: string): string => {
  const path = resolve(folder, use);
  if (!existsSync(path)) throw new ExtensionError(`the file ${path} does not exist`);
  if (!statSync(path).isFile())
    throw new ExtensionError(`${path} is a folder; name the file of the plugin in it`);
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
const readExport = async (use: string, url: string): Promise<unknown> => {
  try {
    const { default: exported } = (await import(/* @vite-ignore */ url)) as { default?: unknown };
    if (typeof exported !== 'function') return exported;
    return await (exported as (api: unknown) => unknown)(await import('./api.js'));
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

const Shape = z.looseObject({
  name: text,
  title: text,
  description: text,
  settings: z.custom((value) => value instanceof Object && 'safeParse' in value).optional(),
  start: method,
});

const requirePlugin = (exported: unknown, use: string): Plugin => {
  if (typeof exported !== 'object' || exported === null)
    throw new ExtensionError(
      `${use} is not a plugin: its default export must be what definePlugin returns, or a function ` +
        'that returns it',
    );
  const { apiVersion } = exported as { readonly apiVersion?: unknown };
  if (apiVersion !== API_VERSION)
    throw new ExtensionError(
      apiVersion === undefined
        ? `${use} is not a plugin: it does not state its apiVersion`
        : `${use} is written for version ${JSON.stringify(apiVersion)} of the plugin API, and this gateway ` +
            `has version ${API_VERSION}; install a release of it for version ${API_VERSION}`,
    );
  const { error } = Shape.safeParse(exported);
  const [issue] = error?.issues ?? [];
  if (issue)
    throw new ExtensionError(
      `${use} is not a plugin: its ${issue.path.join('.')} is missing or malformed`,
    );
  return exported as Plugin;
};
