import type { CommandLogReader, ExplainReader } from '../../ports/command-log.js';
import { bindReads } from '../bind-reads.js';
import type { Collections } from '../tables/collections.js';
import { entitiesOf } from './entities.js';
import { readRoleFacts } from './explain-roles.js';
import { findSimilarNames, readRoomFacts } from './explain-rooms.js';
import { SUBJECT_READS } from './explain-subjects.js';

/** Reads for `explain`, within one tenant. */
export const mongoExplainReader = (
  collections: Collections,
  log: CommandLogReader,
): ExplainReader =>
  bindReads<ExplainReader, Parameters<typeof readRoleFacts>[0]>(
    { ...SUBJECT_READS, similar: findSimilarNames, role: readRoleFacts, room: readRoomFacts },
    { collections, entities: entitiesOf(collections), log },
  );
