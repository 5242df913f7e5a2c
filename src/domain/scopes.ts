/** The core's scopes (interface.md, Authentication). A write scope does not imply read. */
export const SCOPES = [
  'scim:read',
  'scim:write',
  'api:users:read',
  'api:users:write',
  'api:rooms:read',
  'api:rooms:write',
  'api:sms_lists:read',
  'api:sms_lists:write',
  'usage',
] as const;

export type CoreScope = (typeof SCOPES)[number];

declare const brand: unique symbol;

/** A scope of an extension: its name, or its name, a colon and more words. */
export type ExtensionScope = string & { readonly [brand]: 'ExtensionScope' };

/** A scope of an API key. */
export type Scope = CoreScope | ExtensionScope;

const WORDS = /^[a-z][a-z0-9_-]*(:[a-z][a-z0-9_-]*)*$/;

/** Declares a scope; throws a TypeError if it is malformed or a scope of the core. */
export const declareScope = (text: string): ExtensionScope => {
  if (!WORDS.test(text))
    throw new TypeError(
      `"${text}" is not a scope: use lower-case words separated by colons, such as "audit:read".`,
    );
  if ((SCOPES as readonly string[]).includes(text))
    throw new TypeError(`"${text}" is a scope of the core; an extension declares its own.`);
  return text as ExtensionScope;
};
