const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Whether requests to this URL stay on this machine. */
export const isLoopback = (url: string): boolean => LOOPBACK.test(new URL(url).hostname);
