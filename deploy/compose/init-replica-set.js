/* global db, print, sleep */
// Run by mongosh. Does nothing if the replica set exists, so it can run again at any time.
const HOSTS = ['mongo-1:27017', 'mongo-2:27017', 'mongo-3:27017'];
const ATTEMPTS = 120;

/** The state of this member: 1 is primary, 2 secondary; null before the initiation. */
const stateOf = () => {
  try {
    const { myState } = db.adminCommand({ replSetGetStatus: 1 });
    return myState;
  } catch (error) {
    if (error.codeName === 'NotYetInitialized') return null;
    throw error;
  }
};

const initiate = () => {
  const members = HOSTS.map((host, _id) => ({ _id, host }));
  db.adminCommand({ replSetInitiate: { _id: 'rs0', members } });
};

const hasPrimary = () => {
  const { primary } = db.adminCommand({ hello: 1 });
  return Boolean(primary);
};

/** Fails while a member cannot be reached; they all start at the same time. */
const attempt = () => {
  try {
    if (stateOf() === null) initiate();
    return hasPrimary();
  } catch (error) {
    print(`Not yet: ${error.message}`);
    return false;
  }
};

let attempts = 0;
while (!attempt()) {
  attempts += 1;
  if (attempts === ATTEMPTS) throw new Error('The replica set has no primary.');
  sleep(1000);
}
print('The replica set has a primary.');
