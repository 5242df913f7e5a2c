/**
 * A condition on the attributes of a resource, as a tree: what a SCIM filter (RFC 7644, 3.4.2.2)
 * means once its attributes are resolved. The store turns it into an indexed query.
 */
export interface AttributeReference {
  /**
   * Canonical names from the root: `['emails', 'value']`, `['meta', 'lastModified']`; attributes
   * of the Enterprise extension begin with `enterprise`.
   */
  readonly path: readonly string[];
  readonly type: 'string' | 'boolean' | 'number' | 'dateTime' | 'complex';
  /** Whether letter case tells values apart (RFC 7643, 2.2). */
  readonly caseExact: boolean;
}

export type ComparisonOperator = 'eq' | 'ne' | 'co' | 'sw' | 'ew' | 'gt' | 'ge' | 'lt' | 'le';

export type Filter =
  | { readonly kind: 'and' | 'or'; readonly of: readonly Filter[] }
  | { readonly kind: 'not'; readonly of: Filter }
  | { readonly kind: 'present'; readonly attribute: AttributeReference }
  | {
      readonly kind: 'compare';
      readonly operator: ComparisonOperator;
      readonly attribute: AttributeReference;
      /** dateTime values stay ISO texts here. */
      readonly value: string | number | boolean | null;
    }
  /** `emails[type eq "work"]`: one element meets all of it; paths inside start at the element. */
  | { readonly kind: 'element'; readonly attribute: AttributeReference; readonly of: Filter };
