/** A variable that begins with `ROLLGATE_` and sets no setting. */
export interface OtherVariable {
  readonly name: string;
  /** `serve`: of the gateway; `command`: of the `rollgate` command; `test`: of our own scripts. */
  readonly readBy: 'serve' | 'command' | 'test';
  readonly meaning: string;
}

/** All of them: whatever else begins with `ROLLGATE_` is a setting or a mistake. */
export const OTHER_VARIABLES: readonly OtherVariable[] = [
  {
    name: 'ROLLGATE_CONFIG',
    readBy: 'serve',
    meaning: 'the settings file; else config/rollgate.yaml where it exists',
  },
  {
    name: 'ROLLGATE_CACHE_DIR',
    readBy: 'serve',
    meaning: 'folder of the downloaded mongod; else the account’s cache folder',
  },
  { name: 'ROLLGATE_URL', readBy: 'command', meaning: 'the gateway to speak to, like --url' },
  {
    name: 'ROLLGATE_TENANT',
    readBy: 'command',
    meaning: 'the tenant of "rollgate sms", like --tenant',
  },
  {
    name: 'ROLLGATE_API_KEY',
    readBy: 'command',
    meaning: 'its API key for "rollgate sms", like --key',
  },
  {
    name: 'ROLLGATE_SUITES',
    readBy: 'test',
    meaning: 'folder of the SCIM suites that "npm run conformance" runs',
  },
];

/**
 * Variables that Kubernetes sets by itself in every pod where a Service is called `rollgate`, or
 * `rollgate-…`: ROLLGATE_PORT=tcp://…, ROLLGATE_SERVICE_HOST, ROLLGATE_MONGODB_PORT_27017_TCP_ADDR.
 */
export const isFromKubernetes = (name: string, value: string): boolean =>
  /^ROLLGATE_(.+_)?SERVICE_(HOST|PORT(_.+)?)$/.test(name) ||
  /^ROLLGATE_(.+_)?PORT_\d+_(TCP|UDP|SCTP)_(PROTO|PORT|ADDR)$/.test(name) ||
  (/^ROLLGATE_(.+_)?PORT(_\d+_(TCP|UDP|SCTP))?$/.test(name) && /^(tcp|udp|sctp):\/\//.test(value));
