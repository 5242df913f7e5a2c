/** RFC 6750, 2.1 (b64token): what can be sent behind "Bearer". */
const B64TOKEN = /^[A-Za-z0-9._~+/-]+=*$/;

/** Longer than any token of ours; what goes beyond is not even hashed. */
export const MAX_TOKEN_LENGTH = 256;

/** A shorter one may be guessed. */
export const MIN_ADMIN_TOKEN_LENGTH = 16;

/** Whether a gateway can read the token from an Authorization header. */
export const isBearerToken = (text: string): boolean =>
  text.length <= MAX_TOKEN_LENGTH && B64TOKEN.test(text);

/**
 * What is wrong with an admin token, in words that follow its name; undefined: it can be used. The
 * one rule of start, `config check`, doctor and the parser of requests.
 */
export const adminTokenFault = (token: string): string | undefined => {
  if (token.length < MIN_ADMIN_TOKEN_LENGTH)
    return `has fewer than ${MIN_ADMIN_TOKEN_LENGTH} characters and may be guessed; make one with "openssl rand -base64 32"`;
  if (token.length > MAX_TOKEN_LENGTH) return `has more than ${MAX_TOKEN_LENGTH} characters`;
  if (isBearerToken(token)) return undefined;
  return (
    'cannot be sent as a bearer token (RFC 6750): use letters, digits and - . _ ~ + / only, with = ' +
    'at the end only; make one with "openssl rand -base64 32"'
  );
};
