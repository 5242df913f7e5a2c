const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Whether requests to this URL stay on this machine. */
export const isLoopback = (url: string): boolean => LOOPBACK.test(new URL(url).hostname);

/**
 * The address for people's browsers: they refuse passkeys on IP addresses (WebAuthn 2, 5.1.3), and
 * accept them on `localhost`.
 */
export const browserUrlOf = (url: string): string =>
  url.replace(/^(https?:\/\/)(?:127\.0\.0\.1|\[::1\])(?=[:/]|$)/, '$1localhost');
