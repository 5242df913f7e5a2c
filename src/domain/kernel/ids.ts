/**
 * Branded ids, one type per kind of resource: passing a user's id as a tenant's does not compile. All
 * are UUIDs in lower case. The edge parses text into ids with the functions below.
 */
declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** The id of a tenant. */
export type TenantId = Branded<'TenantId'>;
/** The id of a user. */
export type UserId = Branded<'UserId'>;
export type ApiKeyId = Branded<'ApiKeyId'>;
/** The id of a room. */
export type RoomId = Branded<'RoomId'>;
/** The id of a SCIM group. */
export type GroupId = Branded<'GroupId'>;
export type RoleMappingId = Branded<'RoleMappingId'>;
export type JobId = Branded<'JobId'>;
export type SmsListId = Branded<'SmsListId'>;
export type SmsMemberId = Branded<'SmsMemberId'>;
export type CommandId = Branded<'CommandId'>;
export type EventId = Branded<'EventId'>;
/** The id of an operator. */
export type OperatorId = Branded<'OperatorId'>;
/** The public id of an operator's session; not the secret in its cookie. */
export type SessionId = Branded<'SessionId'>;
export type PasskeyId = Branded<'PasskeyId'>;
/** A record of a plugin, such as a webhook registration. */
export type RecordId = Branded<'RecordId'>;
/** The delivery of one event to one key; receivers see it as `X-Service-Delivery`. */
export type DeliveryId = Branded<'DeliveryId'>;

export type AnyId = Branded<string>;

/** The id of a roster is that of its room, or of its role-only group. */
export type RosterId = RoomId | GroupId;

const TOKEN = /^[\w!#$%&'*+.^`|~-]{1,128}$/;

/** Whether a client may name its request so: a token (RFC 9110, 5.6.2). */
export const isRequestId = (text: string): boolean => TOKEN.test(text);

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Case-insensitive: clients may send ids in upper case (RFC 9562, 4). */
const parse = (text: string): string | undefined => {
  const id = text.toLowerCase();
  return UUID.test(id) ? id : undefined;
};

type Parser<Id extends AnyId> = (text: string) => Id | undefined;

/** Undefined if the text is not an id. */
export const parseUserId = parse as Parser<UserId>;
export const parseRoomId = parse as Parser<RoomId>;
export const parseGroupId = parse as Parser<GroupId>;
export const parseRoleMappingId = parse as Parser<RoleMappingId>;
export const parseSmsListId = parse as Parser<SmsListId>;
export const parseSmsMemberId = parse as Parser<SmsMemberId>;
export const parseApiKeyId = parse as Parser<ApiKeyId>;
export const parseCommandId = parse as Parser<CommandId>;
export const parseOperatorId = parse as Parser<OperatorId>;
export const parseSessionId = parse as Parser<SessionId>;
export const parsePasskeyId = parse as Parser<PasskeyId>;
/** The id of a record, or undefined if the text is none. */
export const parseRecordId = parse as Parser<RecordId>;
/** The id of a delivery, or undefined if the text is none. */
export const parseDeliveryId = parse as Parser<DeliveryId>;

/**
 * The first job of a command has the command's id; further jobs add a number. So deciders generate no
 * ids, and the provisioning log leads to the job.
 */
export const jobIdOf = (commandId: CommandId, number = 0): JobId =>
  (number === 0 ? commandId : `${commandId}-${number}`) as JobId;

/** The command that started a job. */
export const startOfJob = (id: JobId): CommandId => id.slice(0, UUID_LENGTH) as CommandId;

const UUID_LENGTH = 36;

const JOB_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:-\d)?$/;

export const parseJobId = (text: string): JobId | undefined =>
  JOB_ID.test(text) ? (text as JobId) : undefined;
