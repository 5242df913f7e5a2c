import type {
  CliArgument,
  CliColumn,
  CliCreate,
  CliResource,
  CliVerb,
} from '../start/load-extensions.js';
import type { FieldOption } from './field-option.js';
import type { GatewayAccess } from './gateway-access.js';
import type { GatewayResponse } from './gateway-client.js';
import type { HelpLines } from './help.js';
import type { Locate } from './locate.js';
import type { Paging } from './paging.js';
import type { Access, Session } from './session.js';

/**
 * How commands are described. What the contract of plugins describes too (`CliResource`) is taken from
 * there; the core adds what needs its own types.
 */

/** What a field's text may depend on. */
export interface ViewContext {
  readonly now: Date;
  readonly access: GatewayAccess;
}

/** A field as people see it: a column of the list, and a line of `show`. */
export type Field<View> = Omit<CliColumn, 'title'> & {
  readonly label: string;
  readonly only?: 'list' | 'show';
} & (
    | { readonly text: (view: View, context: ViewContext) => string }
    /** Shown as `2026-11-18T09:00Z (3 days ago)`; null as `-`. */
    | { readonly time: (view: View) => string | null }
  );

/** A positional argument, with its help. */
export interface Argument extends CliArgument {
  /** Throws an InvalidArgumentError. */
  readonly parse?: (text: string) => string;
}

export interface Verb extends CliVerb {
  /** Further sections of the help. */
  readonly sections?: Readonly<Record<string, HelpLines>>;
  /** Other names of the command, not shown in the help. */
  readonly aliases?: readonly string[];
  /** Absent: as the resource is read or written. */
  readonly access?: Access;
}

export interface ListVerb extends Verb {
  /** Absent: by `--limit` and `--offset`. */
  readonly paging?: Paging;
  readonly filters?: readonly FieldOption[];
  /** Makes `--follow` an option, which prints new items until it is interrupted. */
  readonly follow?: (session: Session, query: Readonly<Record<string, unknown>>) => Promise<void>;
  /** A hint below an empty list. */
  readonly whenEmpty?: (tenant: string) => string;
  /** `rollgate log acme` means `rollgate log list acme`. */
  readonly isDefault?: boolean;
  /** Only of plugins: `rollgate export` includes it. */
  readonly isExported?: true;
}

export interface CreateVerb<View> extends Verb, Pick<CliCreate<View>, 'next'> {
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
}

export interface DeleteVerb<View> extends Verb {
  /** What the deletion means, as a sentence to be confirmed. */
  readonly warning: (view: View, context: ViewContext, tenant: string) => string;
  /** Absent: `Deleted`. */
  readonly done?: string;
  /** Absent: `delete`. */
  readonly name?: string;
}

/** What an action on a collection works on. */
export interface CollectionContext {
  readonly session: Session;
  readonly path: string;
  /** What the options set. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The further arguments. */
  readonly args: readonly string[];
}

/** What an action on an item works on; the path is the item's. */
export interface ActionContext<View> extends CollectionContext {
  readonly id: string;
  readonly item: () => Promise<View>;
}

/** A command beyond the five verbs. */
interface AnyAction<Context> extends Verb {
  readonly name: string;
  readonly summary: string;
  readonly arguments?: readonly Argument[];
  readonly options?: readonly FieldOption[];
  readonly access: Access;
  readonly run: (context: Context) => Promise<void>;
}

export type Action<View> = AnyAction<ActionContext<View>>;

export type CollectionAction = AnyAction<CollectionContext>;

/** What is needed to find one item of a collection. */
export type Locatable = Pick<
  Resource<unknown>,
  | 'name'
  | 'noun'
  | 'path'
  | 'item'
  | 'locate'
  | 'hintFor'
  | 'items'
  | 'view'
  | 'id'
  | 'label'
  | 'names'
  | 'searchQuery'
>;

/** What a resource of a plugin describes in the same way. */
type Described<View> = Pick<
  CliResource<View>,
  | 'name'
  | 'noun'
  | 'plural'
  | 'summary'
  | 'description'
  | 'path'
  | 'items'
  | 'view'
  | 'id'
  | 'label'
  | 'readAccess'
  | 'writeAccess'
>;

/** A kind of resource, described once; `addResource` creates its commands. */
export interface Resource<View> extends Described<View> {
  /** It belongs to no tenant: the tenants themselves, the operators. */
  readonly isGlobal?: boolean;
  /** The resource that it is nested in. */
  readonly parent?: Resource<unknown>;
  readonly fields: readonly Field<View>[];
  /** Text below the fields of `show`. */
  readonly details?: (view: View, session: Session) => string;
  /** The argument that names one; absent: single ones cannot be addressed. */
  readonly item?: Argument;
  readonly locate?: Locate;
  /** What to give instead of a text that names no item. */
  readonly hintFor?: (wanted: string) => string | undefined;
  /** What the argument names, if not an item of this list: a user for a member of a room. */
  readonly candidates?: Resource<unknown>;
  /** By which people call an item; absent: its label. */
  readonly names?: (view: View) => readonly string[];
  /** Restricts the list to names with a word that begins like this, for completion and suggestions. */
  readonly searchQuery?: (start: string) => Readonly<Record<string, unknown>>;
  readonly create?: CreateVerb<View>;
  readonly list?: ListVerb;
  readonly show?: ShowVerb<View>;
  readonly update?: UpdateVerb;
  readonly delete?: DeleteVerb<View>;
  readonly actions?: readonly Action<View>[];
  /** Of the collection as a whole. */
  readonly collectionActions?: readonly CollectionAction[];
}

/** Checks the description against the type of its view. Lists of resources forget that type. */
export const defineResource = <View>(resource: Resource<View>): Resource<unknown> =>
  resource as unknown as Resource<unknown>;
