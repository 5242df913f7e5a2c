export interface AttributeReference {
  /**
   * Canonical names from the root: `['emails', 'value']`, `['meta', 'lastModified']`. Attributes of
   * the Enterprise extension start with `enterprise`.
   */
  readonly path: readonly string[];
  readonly type: 'string' | 'boolean' | 'number' | 'dateTime' | 'complex';
  /** Whether comparisons are case-sensitive (RFC 7643, 2.2). */
  readonly caseExact: boolean;
}

export type ComparisonOperator = 'eq' | 'ne' | 'co' | 'sw' | 'ew' | 'gt' | 'ge' | 'lt' | 'le';

/**
 * A SCIM filter (RFC 7644, 3.4.2.2) with resolved attributes, as a tree. The store translates it into
 * an indexed query.
 */
export type Filter =
  | { readonly kind: 'and' | 'or'; readonly of: readonly Filter[] }
  | { readonly kind: 'not'; readonly of: Filter }
  | { readonly kind: 'present'; readonly attribute: AttributeReference }
  | {
      readonly kind: 'compare';
      readonly operator: ComparisonOperator;
      readonly attribute: AttributeReference;
      /** Values of type dateTime are ISO 8601 strings. */
      readonly value: string | number | boolean | null;
    }
  /** `emails[type eq "work"]`: one element matches `of`, whose paths start at the element. */
  | { readonly kind: 'element'; readonly attribute: AttributeReference; readonly of: Filter };
