/** Whether requests to this URL stay on this machine. */
export const isLoopback = (url: string): boolean => {
  const { hostname } = new URL(url);
  return hostname === 'localhost' || /^127\.|^\[::1\]$/.test(hostname);
};
