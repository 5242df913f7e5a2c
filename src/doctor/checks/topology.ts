import { readServer, type Topology } from '../../store/inspect/read-server.js';
import { type Check, fail, ok } from '../verdict.js';

/** The database has transactions, and a server that takes writes. */
export const checkTopology: Check = async ({ database }) => {
  const { topology, isWritable } = await readServer(await database());
  const details = { ...topology, is_writable: isWritable };
  if (topology.kind === 'single server')
    return fail(
      'The database is a single server, which has no transactions.',
      'Run it as a replica set; a set of one will do: mongod --replSet rs0, then rs.initiate() in mongosh.',
      details,
    );
  if (!isWritable)
    return fail(
      `${inWords(topology)} has no primary: nothing can be written.`,
      'Bring its members back, until a majority sees each other: rs.status() in mongosh tells.',
      details,
    );
  return ok(`${inWords(topology)}, and it takes writes.`, details);
};

const inWords = (topology: Topology): string => {
  if (topology.kind !== 'replica set') return `A ${topology.kind}`;
  const { name, members } = topology;
  return `The replica set ${name} (${members.length === 1 ? 'one member' : `${members.length} members`})`;
};
