import { createRequire } from 'node:module';
import type { MappingRule, SettingFault } from '../../src/plugin/api.js';
import { isTarget, TARGETS } from './mapping/attributes.js';
import { compileMapping } from './mapping/compile-mapping.js';
import { type ConnectorOptions, mappingRule, RULE_FORMS } from './options.js';
import { compileMatch } from './identify/correlate.js';

type CheckedOptions = Pick<ConnectorOptions, 'map' | 'match' | 'authoritativeFor'>;

/** What would stop every run: what the schema of the options cannot see, with the place of each fault. */
export const checkOptions = (options: CheckedOptions): readonly SettingFault[] => {
  const { map, match, authoritativeFor = [] } = options;
  return [
    ...Object.entries(map).flatMap(([target, rule]) => checkRule(target, rule)),
    ...match.flatMap((key, at) => faultsOf(['match', at], () => compileMatch([key]))),
    ...authoritativeFor.flatMap((name, at) => checkTarget(['authoritativeFor', at], name)),
  ];
};

/** What is wrong with the form of a rule that is still being written. */
export const checkRuleShape = (target: string, rule: unknown): readonly SettingFault[] => {
  if (rule === null || mappingRule.safeParse(rule).success) return [];
  return [{ path: ['map', target], message: shapeFault(rule) }];
};

const FORMS = Object.keys(RULE_FORMS) as readonly (keyof typeof RULE_FORMS)[];

const shapeFault = (rule: unknown): string => {
  if (typeof rule === 'string') return 'is empty; name a field of the source';
  const form =
    typeof rule === 'object' && rule !== null ? FORMS.find((name) => name in rule) : undefined;
  const [issue] = (form && RULE_FORMS[form].safeParse(rule).error?.issues) ?? [];
  if (!issue) return `expected a field, or an object with one of ${FORMS.join(', ')}`;
  const [first, at] = issue.path;
  if (first === 'transform' && typeof at === 'number')
    return (
      `transform ${at + 1} is none of trim, lower, upper, {map: …}, {split: …}, {join: …}, ` +
      '{date: …}, {phone: …}'
    );
  return issue.path.length === 0 ? issue.message : `${issue.path.join('.')}: ${issue.message}`;
};

const checkTarget = (path: SettingFault['path'], target: string): readonly SettingFault[] =>
  isTarget(target) ? [] : [{ path, message: unknownAttribute(target) }];

const checkRule = (target: string, rule: MappingRule | null): readonly SettingFault[] => {
  const path = ['map', target];
  const unknown = checkTarget(path, target);
  if (unknown.length > 0 || rule === null) return unknown;
  if (typeof rule === 'object' && 'jsonata' in rule) return checkExpression(path, rule.jsonata);
  return faultsOf(path, () => compileMapping({ [target]: rule }));
};

const faultsOf = (path: SettingFault['path'], compile: () => unknown): readonly SettingFault[] => {
  try {
    compile();
    return [];
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    // The place says where it is.
    return [{ path, message: error.message.replace(/^(map\.[\w.]+|match): /, '') }];
  }
};

const require = createRequire(import.meta.url);

/** Parses it only; it runs in a process of its own. */
const checkExpression = (
  path: SettingFault['path'],
  expression: string,
): readonly SettingFault[] => {
  try {
    (require('jsonata') as (text: string) => unknown)(expression);
    return [];
  } catch (error) {
    const { code, message } = error as { readonly code?: string; readonly message?: string };
    return code === 'MODULE_NOT_FOUND'
      ? [{ path, message: 'needs the package "jsonata": run "npm install jsonata@2.2.2"' }]
      : [{ path, message: `is no JSONata expression: ${message ?? String(error)}` }];
  }
};

const lastOf = (target: string): string => target.slice(target.lastIndexOf('.') + 1).toLowerCase();

/** Suggests `enterprise.department` for `Department`. */
const unknownAttribute = (target: string): string => {
  const meant = [...TARGETS].find((one) => lastOf(one) === lastOf(target));
  const hint =
    meant === undefined ? `there are ${[...TARGETS].join(', ')}` : `did you mean "${meant}"?`;
  return `users have no attribute "${target}"; ${hint}`;
};
