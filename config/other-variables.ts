/** A `ROLLGATE_…` variable that is not a setting. */
export interface OtherVariable {
  readonly name: string;
  /** The gateway, the `rollgate` command, or scripts of this repository. */
  readonly readBy: 'serve' | 'command' | 'test';
  readonly description: string;
}

/** The complete list: any other `ROLLGATE_…` variable is a setting or an error. */
export const OTHER_VARIABLES: readonly OtherVariable[] = [
  {
    name: 'ROLLGATE_CONFIG',
    readBy: 'serve',
    description: 'settings file, like --config; default: config/rollgate.yaml if it exists',
  },
  {
    name: 'ROLLGATE_CACHE_DIR',
    readBy: 'serve',
    description:
      'cache folder of the downloaded mongod and of compiled code (Node.js 22); default: the cache folder of the account',
  },
  { name: 'ROLLGATE_URL', readBy: 'command', description: 'address of the gateway, like --url' },
  {
    name: 'ROLLGATE_API_KEY',
    readBy: 'command',
    description: 'API key of a tenant, like --api-key',
  },
  {
    name: 'ROLLGATE_PROFILE',
    readBy: 'command',
    description: 'server that "rollgate login" stored, like --profile',
  },
  {
    name: 'ROLLGATE_CA_FILE',
    readBy: 'command',
    description: 'PEM file of CAs to trust for an https address, like --ca-file',
  },
  {
    name: 'ROLLGATE_SUITES',
    readBy: 'test',
    description: 'folder of the SCIM test suites for "npm run conformance"',
  },
];

/**
 * Variables that Kubernetes sets in every pod of a namespace with a Service called `rollgate` or
 * `rollgate-…`: ROLLGATE_PORT=tcp://…, ROLLGATE_SERVICE_HOST, ROLLGATE_MONGODB_PORT_27017_TCP_ADDR.
 */
export const isFromKubernetes = (name: string, value: string): boolean =>
  /^ROLLGATE_(.+_)?SERVICE_(HOST|PORT(_.+)?)$/.test(name) ||
  /^ROLLGATE_(.+_)?PORT_\d+_(TCP|UDP|SCTP)_(PROTO|PORT|ADDR)$/.test(name) ||
  (/^ROLLGATE_(.+_)?PORT(_\d+_(TCP|UDP|SCTP))?$/.test(name) && /^(tcp|udp|sctp):\/\//.test(value));
