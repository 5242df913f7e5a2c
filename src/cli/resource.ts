import type {
  CliAction,
  CliArgument,
  CliCall,
  CliCreate,
  CliField,
  CliList,
  CliResource,
  CliResult,
  CliVerb,
} from '../start/load-extensions.js';
import type { Complete } from './completions.js';
import type { FieldOption } from './field-option.js';
import type { HelpLines } from './help.js';
import type { Locatable, Locate } from './locate.js';
import type { Continuation } from './paging.js';
import type { GatewayAccess, GatewayResponse } from './gateway-access.js';
import type { Access, Session } from './session.js';
import type { Section } from './table.js';

/**
 * How commands are described: as plugins describe theirs (`CliResource`). The core adds what needs its
 * own types, all of it optional, so that the description of a plugin is one of these as it is.
 */

/** What a field's text may depend on. */
export interface ViewContext {
  readonly now: Date;
  readonly access: GatewayAccess;
}

/** A field as people see it; its text is made safe for the terminal when it is printed. */
export type Field<View> = Pick<CliField<View>, 'label' | 'align' | 'wrapAt' | 'only'> &
  (
    | { readonly text: (view: View, context: ViewContext) => string | null | undefined }
    | { readonly time: (view: View) => string | null }
  );

export interface Argument extends CliArgument {
  /** Throws an InvalidArgumentError. */
  readonly parse?: (text: string) => string;
  /** Finds candidates that only the gateway has. */
  readonly complete?: Complete;
}

export interface Verb extends CliVerb {
  /** Further sections of the help. */
  readonly sections?: Readonly<Record<string, HelpLines>>;
  /** Other names of the command, not shown in the help. */
  readonly aliases?: readonly string[];
  /** Absent: as the resource is read or written. */
  readonly access?: Access;
}

export interface ListVerb extends Verb, Pick<CliList, 'isExported' | 'isOfAllParents'> {
  /** Absent: by `offset`. */
  readonly continuation?: Continuation;
  readonly filters?: readonly FieldOption[];
  /** Makes `--follow` an option, which prints new items until it is interrupted. */
  readonly follow?: (session: Session, query: Readonly<Record<string, unknown>>) => Promise<void>;
  /** A hint below an empty list. */
  readonly whenEmpty?: (tenant: string) => string;
  /** `rollgate log acme` means `rollgate log list acme`. */
  readonly isDefault?: boolean;
}

export interface CreateVerb<View> extends Verb, Pick<CliCreate<View>, 'next' | 'quiet'> {
  readonly arguments?: readonly Argument[];
  readonly options?: readonly FieldOption[];
  /** Completes the body. */
  readonly complete?: (body: Readonly<Record<string, unknown>>) => Record<string, unknown>;
  /** Prints the response if it is not the resource's usual view. */
  readonly print?: (session: Session, response: GatewayResponse) => void;
}

/** What `show` adds to the item: read by further requests. */
export interface MoreOfItem {
  /** Below the fields. */
  readonly text: string;
  /** Properties that `--json` adds to the item. */
  readonly json: Readonly<Record<string, unknown>>;
}

export interface ShowVerb<View> extends Verb {
  /** Used with the admin token only. */
  readonly more?: (view: View, session: Session) => Promise<MoreOfItem>;
  /** Finds the item where nothing is changed; absent: as everywhere. */
  readonly locate?: Locate;
  /** Help of the argument, if `locate` takes more than elsewhere. */
  readonly itemHelp?: string;
}

export interface UpdateVerb extends Verb {
  readonly options: readonly FieldOption[];
  /** What changes these fields; absent: one PATCH of the item. */
  readonly requests?: (fields: Readonly<Record<string, unknown>>) => readonly {
    readonly method: 'PATCH' | 'DELETE';
    /** Below the item. */
    readonly to?: string;
    readonly body?: unknown;
  }[];
}

export interface DeleteVerb<View> extends Verb {
  /** What the deletion means, as a sentence to be confirmed. */
  readonly warning: (view: View, tenant: string, context: ViewContext) => string;
  /** Absent: `Deleted`. */
  readonly done?: string;
  /** Absent: `delete`. */
  readonly name?: string;
}

/** A run of an action of the core. */
export interface ActionCall<View> extends CliCall {
  readonly session: Session;
  readonly item: () => Promise<View>;
}

/** A command beyond the five verbs. */
export interface Action<View>
  extends
    Omit<Verb, 'summary'>,
    Pick<CliAction, 'name' | 'summary' | 'canDryRun' | 'html' | 'csv'> {
  readonly arguments?: readonly Argument[];
  readonly options?: readonly FieldOption[];
  /** It works on the collection as a whole; its path is the collection's. */
  readonly isOnCollection?: true;
  /** `printed`: it has printed its result. */
  readonly run: (call: ActionCall<View>) => Promise<CliResult | 'printed'>;
}

type ExtendedHere =
  'fields' | 'details' | 'item' | 'create' | 'list' | 'show' | 'update' | 'delete' | 'actions';

/** A kind of resource, described once; `addResources` creates its commands. */
export interface Resource<View> extends Omit<CliResource<View>, ExtendedHere>, Locatable<View> {
  readonly fields: readonly Field<View>[];
  readonly details?: (view: View) => readonly Section[];
  readonly item?: NonNullable<Locatable['item']> & Argument;
  /** What the argument names, if not an item of this list: a user for a member of a room. */
  readonly candidates?: Resource<unknown>;
  /** The API cannot preview its changes. */
  readonly hasNoDryRun?: true;
  readonly create?: CreateVerb<View>;
  readonly list?: ListVerb;
  readonly show?: ShowVerb<View>;
  readonly update?: UpdateVerb;
  readonly delete?: DeleteVerb<View>;
  readonly actions?: readonly Action<View>[];
}

/** Checks the description against the type of its view. Lists of resources forget that type. */
export const defineResource = <View>(resource: Resource<View>): Resource<unknown> =>
  resource as unknown as Resource<unknown>;
