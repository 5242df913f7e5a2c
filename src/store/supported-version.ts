/** $$NOW in reads and killSessions need it; older servers are no longer maintained. */
const MIN_MAJOR = 5;

/** The oldest MongoDB that Rollgate runs on. */
export const MIN_VERSION = `${MIN_MAJOR}.0`;

/** `version`: as in `6.0.5`. */
export const isSupported = (version: string): boolean => Number.parseInt(version, 10) >= MIN_MAJOR;
