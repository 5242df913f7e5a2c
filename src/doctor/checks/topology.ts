import { findAilingMembers, readServer, type Topology } from '../../store/inspect/read-server.js';
import { type Check, fail, ok, warn } from '../check-result.js';

/** The database supports transactions and accepts writes. */
export const checkTopology: Check = async ({ database }) => {
  const inspected = await database();
  const { topology, isWritable } = await readServer(inspected);
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
  const ailing = topology.kind === 'replica set' ? await findAilingMembers(inspected) : [];
  if (ailing.length > 0)
    return warn(
      `${describe(topology)} accepts writes, but of its members ${ailing
        .map(({ host, state }) => `${host} is ${state}`)
        .join(', ')}.`,
      'Restore them before another member fails; see rs.status() in mongosh.',
      { ...details, ailing: ailing.map(({ host, state }) => `${host}: ${state}`) },
    );
  return ok(`${describe(topology)} accepts writes.`, details);
};

const describe = (topology: Topology): string => {
  if (topology.kind !== 'replica set') return `The ${topology.kind}`;
  const { name, members } = topology;
  return `The replica set ${name} (${members.length === 1 ? '1 member' : `${members.length} members`})`;
};
