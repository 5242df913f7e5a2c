import { readServer, type Topology } from '../../store/inspect/read-server.js';
import { type Check, fail, ok } from '../check-result.js';

/** The database supports transactions and accepts writes. */
export const checkTopology: Check = async ({ database }) => {
  const { topology, isWritable } = await readServer(await database());
  const details = { ...topology, is_writable: isWritable };
  if (topology.kind === 'single server')
    return fail(
      'The database is a single server, which does not support transactions.',
      'Run it as a replica set; one member is enough: mongod --replSet rs0, then rs.initiate() in mongosh.',
      details,
    );
  if (!isWritable)
    return fail(
      `${describe(topology)} has no primary and accepts no writes.`,
      'Bring members back until a majority is connected; see rs.status() in mongosh.',
      details,
    );
  return ok(`${describe(topology)} accepts writes.`, details);
};

const describe = (topology: Topology): string => {
  if (topology.kind !== 'replica set') return `The ${topology.kind}`;
  const { name, members } = topology;
  return `The replica set ${name} (${members.length === 1 ? '1 member' : `${members.length} members`})`;
};
