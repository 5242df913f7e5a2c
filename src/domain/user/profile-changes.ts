import { type Filter, matcherOf } from '../kernel/filter.js';
import {
  isSame,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  valueAt,
  withValueAt,
} from '../kernel/json.js';
import { fold } from '../kernel/names.js';
import { refuseRemoval, refuseTarget, refuseValues } from '../kernel/refusals.js';
import {
  type Element,
  type Elements,
  includes,
  isList,
  isPrimary,
  isResultOf,
  keepOnePrimary,
  MAX_VALUES,
  withElement,
  withoutClearedValue,
  withoutDuplicates,
} from './profile-lists.js';
import type { UserProfile } from './user.js';

/**
 * One change of a profile. The edge reads it, with a value of the attribute's type; what it changes
 * depends on the profile, so it is applied in the lane.
 */
export interface ProfileChange {
  /** As in RFC 7644, 3.5.2: adding to a list keeps its elements, replacing it does not. */
  readonly op: 'add' | 'replace' | 'remove';
  /** The attribute in the profile: `['emails']`, `['name', 'givenName']`. */
  readonly path: readonly string[];
  /** Selects elements of a list, by paths that start at the element. Absent: the whole list. */
  readonly selector?: Filter;
  /** The member of the selected elements. Absent: the elements. */
  readonly member?: string;
  /** Null removes. To remove elements by value, those elements. */
  readonly value: JsonValue;
  /** Whether the case of the texts in a list of texts matters. */
  readonly caseExact?: true;
}

/** A user always has these. */
const REQUIRED: ReadonlySet<string> = new Set(['userName', 'active']);

const clear = (profile: JsonObject, path: readonly string[]): JsonObject => {
  const name = path.join('.');
  return REQUIRED.has(name) ? refuseRemoval(name) : withValueAt(profile, path, undefined);
};

/** Whether a new `value` refers to something else, so that other members must not be kept. */
const refersToAnother = (before: JsonValue | undefined, { value }: JsonObject): boolean =>
  value !== undefined && isJsonObject(before) && !isSame(before['value'], value);

const valuesAt = (profile: JsonObject, path: readonly string[]): readonly JsonValue[] => {
  const value = valueAt(profile, path);
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
};

/** Members that the value does not name stay unchanged (RFC 7644, 3.5.2.1 and 3.5.2.3). */
const write = (
  profile: JsonObject,
  path: readonly string[],
  { op, value }: Pick<ProfileChange, 'op' | 'value'>,
): JsonObject => {
  if (value === null) return clear(profile, path);
  // A list without sub-attributes: the decider removes duplicates (custom-attributes.ts).
  if (op === 'add' && Array.isArray(value))
    return withValueAt(profile, path, [...valuesAt(profile, path), ...(value as JsonValue[])]);
  if (!isJsonObject(value)) return withValueAt(profile, path, value);
  const start = refersToAnother(valueAt(profile, path), value)
    ? withValueAt(profile, path, undefined)
    : profile;
  return Object.entries(value).reduce(
    (written, [name, each]) =>
      each === undefined ? written : write(written, [...path, name], { op, value: each }),
    start,
  );
};

/** Removes from a list without sub-attributes; without values, all of it. */
const removeValues = (
  profile: JsonObject,
  { path, value, caseExact }: ProfileChange,
): JsonObject => {
  if (!Array.isArray(value)) return clear(profile, path);
  const keyOf = (each: JsonValue): JsonValue =>
    typeof each === 'string' && !caseExact ? fold(each) : each;
  const wanted = new Set((value as readonly JsonValue[]).map(keyOf));
  const left = valuesAt(profile, path).filter((each) => !wanted.has(keyOf(each)));
  return withValueAt(profile, path, left.length > 0 ? left : undefined);
};

const elementsOf = (profile: JsonObject, list: string): Elements => {
  const value = profile[list];
  return Array.isArray(value) ? (value as JsonValue[]).filter(isJsonObject) : [];
};

/**
 * The profile with this list; an empty one is removed (RFC 7643, 2.5). The maximum applies after
 * every change, because each one compares with all elements that the previous one left.
 */
const withElements = (profile: JsonObject, list: string, elements: Elements): JsonObject => {
  if (elements.length > MAX_VALUES)
    refuseValues([{ path: list, message: `must have at most ${MAX_VALUES} values` }]);
  return withValueAt(profile, [list], elements.length > 0 ? elements : undefined);
};

/** Existing elements are not added again (RFC 7644, 3.5.2.1). */
const addElements = (list: string, elements: Elements, added: Elements): Elements => {
  const primaries = added.filter(isPrimary);
  return keepOnePrimary(
    list,
    added.reduce<Elements>((kept, element) => withElement(list, kept, element), elements),
    (element) => primaries.some((primary) => isResultOf(list, element, primary)),
  );
};

/**
 * Entra lists the elements to remove in `value` (facts on identity providers, 3). A value without
 * known members selects nothing, rather than everything.
 */
const removeElements = (list: string, elements: Elements, given: Elements): Elements => {
  const wanted = given.filter((each) => Object.keys(each).length > 0);
  return elements.filter((element) => !wanted.some((each) => includes(list, element, each)));
};

/** The elements of a list after a change of the whole list. */
const changedList = (list: string, elements: Elements, { op, value }: ProfileChange): Elements => {
  const given = Array.isArray(value) ? (value as Elements) : undefined;
  switch (op) {
    case 'add':
      return given ? addElements(list, elements, given) : elements;
    case 'replace':
      return keepOnePrimary(list, given ?? [], () => true);
    case 'remove':
      return given ? removeElements(list, elements, given) : [];
  }
};

/** A list, and the filter that selects some of its elements. */
interface Selection {
  readonly list: string;
  readonly elements: Elements;
  readonly selector: Filter;
}

/**
 * The values that a selected element must have, if the filter consists of `eq` conditions joined by
 * `and`. A missing element can be created from them.
 */
const impliedValues = (filter: Filter): Element | undefined => {
  if (filter.kind === 'compare') {
    const { operator, attribute, value } = filter;
    const [name = ''] = attribute.path;
    return operator === 'eq' && value !== null ? { [name]: value } : undefined;
  }
  if (filter.kind !== 'and') return undefined;
  const all = filter.of.map(impliedValues);
  return all.every((each) => each !== undefined)
    ? (Object.assign({}, ...all) as Element)
    : undefined;
};

/**
 * Only a selection by `type` defines a new element. One by `value` means an element that the client
 * expects to exist, so it has no target (RFC 7644, 3.5.2.3).
 */
const createElement = ({ list, selector }: Selection): Element => {
  const element = impliedValues(selector) ?? {};
  const isByType = element['type'] !== undefined && element['value'] === undefined;
  return isByType && matcherOf(selector)(element)
    ? element
    : refuseTarget(
        `No element of ${list} matches the filter. Only a filter by type creates a missing element.`,
      );
};

type ChangeElement = (element: Element) => Element;

/** Changes the selected elements, if any; one that loses its value is removed. */
const changeSelected = (
  { list, elements, selector }: Selection,
  change: ChangeElement,
): Elements => {
  const touched = new Set<Element>();
  const isSelected = matcherOf(selector);
  const changed = elements.flatMap((element) => {
    if (!isSelected(element)) return [element];
    const after = withoutClearedValue(change(element));
    if (after === undefined) return [];
    touched.add(after);
    return [after];
  });
  return keepOnePrimary(list, changed, (element) => touched.has(element));
};

/**
 * Changes the selected elements, or creates one if none is selected. Entra adds and replaces
 * `emails[type eq "work"].value` of users without an e-mail (facts on identity providers, 5), where
 * the RFC would refuse a replace with noTarget. An element that already exists is not created
 * again, so that repeating an operation that moves an element out of its own selection adds
 * nothing.
 */
const changeOrCreate = (selection: Selection, change: ChangeElement): Elements => {
  const { list, elements, selector } = selection;
  if (elements.some(matcherOf(selector))) return changeSelected(selection, change);
  const created = withoutClearedValue(change(createElement(selection)));
  if (!created || elements.some((element) => includes(list, element, created))) return elements;
  return keepOnePrimary(list, [...elements, created], (element) => element === created);
};

/** Without a member, the value is merged into each selected element (decisions.md 3). */
const changedSelection = (selection: Selection, { op, member, value }: ProfileChange): Elements => {
  const isRemoval = op === 'remove' || value === null;
  if (isRemoval && member === undefined && op !== 'add') {
    const isSelected = matcherOf(selection.selector);
    return selection.elements.filter((element) => !isSelected(element));
  }
  const whole = isJsonObject(value) ? value : {};
  const members = member === undefined ? whole : { [member]: isRemoval ? null : value };
  const change: ChangeElement = (element) => ({ ...element, ...members });
  return isRemoval ? changeSelected(selection, change) : changeOrCreate(selection, change);
};

const apply = (profile: JsonObject, change: ProfileChange): JsonObject => {
  const { op, path, selector } = change;
  const [list = ''] = path;
  if (!isList(list))
    return op === 'remove' ? removeValues(profile, change) : write(profile, path, change);
  const elements = elementsOf(profile, list);
  return withElements(
    profile,
    list,
    selector
      ? changedSelection({ list, elements, selector }, change)
      : changedList(list, elements, change),
  );
};

/**
 * Runs after the last change, not after each: Entra may set an e-mail's `primary` before its
 * `value`.
 */
const withoutDuplicatesIn = (profile: JsonObject, list: string): JsonObject =>
  withElements(profile, list, withoutDuplicates(list, elementsOf(profile, list)));

/**
 * Applies changes in order (RFC 7644, 3.5.2) without changing its arguments; returns the same object
 * if nothing changes. Pure and synchronous, because it runs inside the lane. Throws RefusalError if a
 * change cannot be applied; then none is.
 */
export const applyChanges = (
  profile: UserProfile,
  changes: readonly ProfileChange[],
): UserProfile => {
  const lists = new Set(changes.map(({ path: [name = ''] }) => name).filter(isList));
  const changed = [...lists].reduce(
    withoutDuplicatesIn,
    changes.reduce<JsonObject>(apply, profile),
  );
  // Every value was read by its type, and userName and active cannot be removed.
  return isSame(changed, profile) ? profile : (changed as unknown as UserProfile);
};
