/**
 * Ids, one type for each thing that has one: passing a user's id where a tenant's is wanted does
 * not compile. All are UUIDs in lower case. Text becomes an id only here, at the edge.
 */
declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

export type TenantId = Branded<'TenantId'>;
export type UserId = Branded<'UserId'>;
export type ApiKeyId = Branded<'ApiKeyId'>;
export type RoomId = Branded<'RoomId'>;
export type GroupId = Branded<'GroupId'>;
export type RoleMappingId = Branded<'RoleMappingId'>;
export type JobId = Branded<'JobId'>;
export type SmsListId = Branded<'SmsListId'>;
export type SmsMemberId = Branded<'SmsMemberId'>;
export type CommandId = Branded<'CommandId'>;
export type EventId = Branded<'EventId'>;
/** What a plugin keeps for itself, for example a webhook registration. */
export type RecordId = Branded<'RecordId'>;
/** One event owed to one key of a durable subscriber; receivers see it as `X-Service-Delivery`. */
export type DeliveryId = Branded<'DeliveryId'>;

export type AnyId =
  | TenantId
  | UserId
  | RoomId
  | GroupId
  | RoleMappingId
  | JobId
  | SmsListId
  | SmsMemberId
  | ApiKeyId
  | CommandId
  | EventId
  | RecordId
  | DeliveryId;

/** Whose list of members it is: a room's, or that of a group without a room. */
export type RosterId = RoomId | GroupId;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whoever keeps ids may hand them back in upper case: they are the same (RFC 9562, 4). */
const parse = (text: string): string | undefined => {
  const id = text.toLowerCase();
  return UUID.test(id) ? id : undefined;
};

type Parser<Id extends AnyId> = (text: string) => Id | undefined;

/** The id in the text, or undefined where the text is none (then nothing can have that id). */
export const parseTenantId = parse as Parser<TenantId>;
export const parseUserId = parse as Parser<UserId>;
export const parseRoomId = parse as Parser<RoomId>;
export const parseGroupId = parse as Parser<GroupId>;
export const parseRoleMappingId = parse as Parser<RoleMappingId>;
export const parseSmsListId = parse as Parser<SmsListId>;
export const parseSmsMemberId = parse as Parser<SmsMemberId>;
export const parseApiKeyId = parse as Parser<ApiKeyId>;
export const parseCommandId = parse as Parser<CommandId>;
export const parseEventId = parse as Parser<EventId>;
export const parseRecordId = parse as Parser<RecordId>;
export const parseDeliveryId = parse as Parser<DeliveryId>;

/**
 * A job has the id of the command that it completes; a command that needs more than one numbers
 * the others. So deciders make no ids, and the provisioning log leads to the job.
 */
export const jobIdOf = (commandId: CommandId, number = 0): JobId =>
  (number === 0 ? commandId : `${commandId}-${number}`) as JobId;

const JOB_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:-\d)?$/;

export const parseJobId = (text: string): JobId | undefined =>
  JOB_ID.test(text) ? (text as JobId) : undefined;
