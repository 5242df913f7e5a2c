/** What the benchmark starts a peer with. */
export interface PeerSettings {
  readonly uri: string;
  readonly port: number;
}

export const readSettings = (): PeerSettings => {
  const { PEER_MONGODB_URI: uri, PEER_PORT: port } = process.env;
  if (uri !== undefined && port !== undefined) return { uri, port: Number(port) };
  throw new Error('A peer of the benchmark is started by npm run bench.');
};

/** What the gateway promises as well. */
export const SAFETY = { writeConcern: { w: 'majority', journal: true } } as const;

/** An end in order, at which Node writes the profile that was asked for. */
export const endOnSignal = (): void => {
  process.once('SIGTERM', () => process.exit());
};
