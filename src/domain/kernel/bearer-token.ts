/** RFC 6750, 2.1 (b64token): the syntax of a bearer token. */
const B64TOKEN = /^[A-Za-z0-9._~+/-]+=*$/;

/** Longer than any valid token. Longer ones are rejected before they are hashed. */
const MAX_TOKEN_LENGTH = 256;

/** A shorter token could be guessed. */
const MIN_ADMIN_TOKEN_LENGTH = 16;

/** Whether the token can be sent in an Authorization header. */
export const isBearerToken = (text: string): boolean =>
  text.length <= MAX_TOKEN_LENGTH && B64TOKEN.test(text);

/**
 * Why a text cannot be an admin token, as the rest of a sentence that starts with its name; undefined
 * if it can. Shared by start, `config check`, doctor and the parser of requests.
 */
export const adminTokenError = (token: string): string | undefined => {
  if (token.length < MIN_ADMIN_TOKEN_LENGTH)
    return `has fewer than ${MIN_ADMIN_TOKEN_LENGTH} characters and could be guessed; generate one with "openssl rand -base64 32"`;
  if (token.length > MAX_TOKEN_LENGTH) return `has more than ${MAX_TOKEN_LENGTH} characters`;
  if (isBearerToken(token)) return undefined;
  return (
    'cannot be sent as a bearer token (RFC 6750): use letters, digits and - . _ ~ + / only, with = ' +
    'at the end only; generate one with "openssl rand -base64 32"'
  );
};
