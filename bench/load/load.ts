import { serveMethods } from '../../tooling/child.js';
import { tried } from './ask.js';
import { checkSync, syncFirst } from './first-sync.js';
import { EMPTY_SCENE, type Scene } from './ground.js';
import type { LoadMethods, SceneSetting } from './load-methods.js';
import { paceRequests } from './pace-requests.js';
import { readDirectory } from './read-directory.js';
import { forSeconds, forTurns, runClients } from './run-clients.js';
import { checkScene, type SceneName, SCENES } from './scenes.js';
import type { KnownUser, Target } from './target.js';
import { WORKS } from './works.js';

/** A contestant whose directory was read. */
interface Met {
  readonly target: Target;
  readonly users: readonly KnownUser[];
  readonly scenes: Map<SceneName, Scene>;
}

/** For what is made and looked at between the runs. */
const CLIENTS = 8;

const met = new Map<string, Met>();
let runs = 0;

const known = (label: string): Met => {
  const found = met.get(label);
  if (found) return found;
  throw new Error(`${label} was never met.`);
};

const sceneOf = ({ scenes }: Met, name: SceneName | undefined): Scene =>
  (name !== undefined && scenes.get(name)) || EMPTY_SCENE;

const setScene = async ({ label, scene: name }: SceneSetting): Promise<number> => {
  const { target, users, scenes } = known(label);
  if (scenes.has(name)) return 0;
  const { scene, events } = await SCENES[name]({ target, users, clients: CLIENTS });
  scenes.set(name, scene);
  return events;
};

const checkSceneOf = ({ label, scene }: SceneSetting): Promise<number> => {
  const site = known(label);
  return checkScene({ target: site.target, clients: CLIENTS }, sceneOf(site, scene));
};

const handlers: LoadMethods = {
  fill: ({ target, size, clients }) =>
    runClients({
      target,
      clients,
      work: WORKS.create({ ...EMPTY_SCENE, users: [], clients, run: 'user' }),
      isOver: forTurns(size),
    }),
  meet: async ({ label, target, size }) => {
    met.set(label, { target, users: await readDirectory(target, size), scenes: new Map() });
  },
  setScene: (setting) => tried(setScene(setting)),
  run: ({ label, work, scene, clients, seconds }) => {
    const site = known(label);
    const { target, users } = site;
    const ground = { ...sceneOf(site, scene), users, clients, run: `run${(runs += 1)}` };
    return runClients({ target, clients, work: WORKS[work](ground), isOver: forSeconds(seconds) });
  },
  checkScene: (setting) => tried(checkSceneOf(setting)),
  pace: ({ label, ...pace }) =>
    paceRequests({ ...pace, target: known(label).target, prefix: `paced${(runs += 1)}` }),
  sync: ({ plan, ...crew }) => tried(syncFirst(crew, plan)),
  checkSync: ({ target, users, groups }) =>
    tried(checkSync({ target, clients: CLIENTS }, users, groups)),
};

serveMethods(handlers);
