import type { TableName } from '../../domain/tables.js';
import { apiKeyTable } from './api-keys.js';
import { groupTable } from './groups.js';
import { jobPartTable, jobTable } from './jobs.js';
import { membershipTable } from './memberships.js';
import { pluginRecordTable } from './plugin-records.js';
import { storedResponseTable } from './stored-responses.js';
import { roleMappingTable } from './role-mappings.js';
import { roomTable } from './rooms.js';
import { smsListTable } from './sms-lists.js';
import { smsJobPartTable, smsMemberTable } from './sms-members.js';
import type { Table } from './table.js';
import { tenantTable } from './tenants.js';
import { userIdTable, userTable } from './users.js';

/** How each table of the domain is stored. */
export const STORED_TABLES: { readonly [T in TableName]: Table<T> } = {
  users: userTable,
  userIds: userIdTable,
  rooms: roomTable,
  groups: groupTable,
  memberships: membershipTable,
  roleMappings: roleMappingTable,
  smsLists: smsListTable,
  smsMembers: smsMemberTable,
  smsJobParts: smsJobPartTable,
  jobs: jobTable,
  jobParts: jobPartTable,
  apiKeys: apiKeyTable,
  pluginRecords: pluginRecordTable,
  rememberedAnswers: storedResponseTable,
  tenants: tenantTable,
};
