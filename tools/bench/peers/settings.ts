export interface PeerSettings {
  readonly uri: string;
  readonly port: number;
}

export const readSettings = (): PeerSettings => {
  const { PEER_MONGODB_URI: uri, PEER_PORT: port } = process.env;
  if (uri !== undefined && port !== undefined) return { uri, port: Number(port) };
  throw new Error('Peers are started by npm run bench.');
};

/** The write concern of the gateway. */
export const SAFETY = { writeConcern: { w: 'majority', journal: true } } as const;

/** Exits on SIGTERM, so that Node.js writes a requested profile. */
export const endOnSignal = (): void => {
  process.once('SIGTERM', () => process.exit());
};
