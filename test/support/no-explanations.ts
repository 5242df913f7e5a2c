import type { ExplainReader } from '../../src/api/explain.js';
import { raise } from '../../src/domain/refusals.js';

const away = () => Promise.resolve(undefined);
const none = () => Promise.resolve(raise('USER_NOT_FOUND', 'No user has this id.'));

/** For tests of the edge, which explain nothing: there are no users. */
export const NO_EXPLANATIONS: ExplainReader = {
  findUser: away,
  findRoom: away,
  role: none,
  room: none,
};
