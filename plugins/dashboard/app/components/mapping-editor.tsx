import { useState } from 'preact/hooks';
import type { Schema } from '../api/schema.ts';
import { counted } from '../counted.ts';
import { completionsOf, type RuleText, STEPS } from '../mapping-rules.ts';
import { Button } from './button.tsx';

type Preview = Schema<'ConnectorPreview'>;

/** A rule that is edited; its key stays while its target changes. */
export interface EditedRule extends RuleText {
  readonly key: number;
}

const OPTIONS = 'mapping-options';

type Part = 'target' | 'source' | 'steps';

const LABELS: Readonly<Record<Part, string>> = {
  target: 'Attribute',
  source: 'Source of',
  steps: 'Steps of',
};

/** What is wrong with a rule: in all records, else in some of them. */
const problemsOf = (
  { target }: EditedRule,
  rules: readonly EditedRule[],
  { problems, records }: Preview,
): readonly string[] => {
  const failed = records.flatMap(({ rules: results }) =>
    results.flatMap((one) => (one.target === target ? (one.problem ?? []) : [])),
  );
  const [first] = failed;
  return [
    ...(rules.filter((one) => one.target === target).length > 1
      ? ['This attribute has more than one rule; the last one counts.']
      : []),
    ...problems.filter(({ path }) => path === `map.${target}`).map(({ message }) => message),
    ...(first === undefined
      ? []
      : [`${counted(failed.length, 'record')} of ${records.length}: ${first}`]),
  ];
};

/** The rules of a mapping, with completion, and with their errors beside them. */
export const MappingEditor = ({
  rules,
  preview,
  onChange,
}: {
  readonly rules: readonly EditedRule[];
  readonly preview: Preview;
  readonly onChange: (rules: readonly EditedRule[]) => void;
}) => {
  const [focused, setFocused] = useState<{ readonly part: Part; readonly text: string }>();
  const options = (): readonly string[] => {
    if (!focused) return [];
    const { part, text } = focused;
    if (part === 'target') {
      const taken = new Set(rules.map(({ target }) => target));
      return preview.targets.filter((name) => !taken.has(name));
    }
    if (part === 'steps') return completionsOf(text, /,/, STEPS);
    const fields = preview.fields.map(({ path }) => path);
    return text.includes('{')
      ? completionsOf(
          text,
          /\{/,
          fields.map((field) => `${field}}`),
        )
      : completionsOf(text, /\|/, fields);
  };
  const set = (key: number, part: Part, text: string): void => {
    setFocused({ part, text });
    onChange(rules.map((rule) => (rule.key === key ? { ...rule, [part]: text } : rule)));
  };
  return (
    <>
      <datalist id={OPTIONS}>
        {options().map((option) => (
          <option key={option} value={option} />
        ))}
      </datalist>
      {rules.map((rule) => {
        const problems = problemsOf(rule, rules, preview);
        const name = rule.target || 'the new rule';
        const input = (part: Part, placeholder: string) => (
          <input
            aria-label={part === 'target' ? `${LABELS.target}: ${name}` : `${LABELS[part]} ${name}`}
            aria-describedby={problems.length > 0 ? `rule-${rule.key}` : undefined}
            aria-invalid={problems.length > 0 ? 'true' : undefined}
            list={OPTIONS}
            placeholder={placeholder}
            autoComplete="off"
            spellcheck={false}
            value={rule[part]}
            onFocus={() => setFocused({ part, text: rule[part] })}
            onInput={(event) => set(rule.key, part, event.currentTarget.value)}
          />
        );
        return (
          <div key={rule.key} class="rule" role="group" aria-label={name}>
            {input('target', 'Attribute of the user')}
            <Button
              icon="close"
              class="icon-button"
              aria-label={`Remove ${name}`}
              onClick={() => onChange(rules.filter((one) => one !== rule))}
            />
            {input('source', 'field | other field')}
            {input('steps', 'trim, lower, required')}
            {problems.length > 0 && (
              <ul id={`rule-${rule.key}`} class="rule-problems">
                {problems.map((problem) => (
                  <li key={problem}>{problem}</li>
                ))}
              </ul>
            )}
          </div>
        );
      })}
      <Button
        icon="plus"
        label="Add rule"
        class="secondary small"
        onClick={() => {
          const key = Math.max(0, ...rules.map((rule) => rule.key)) + 1;
          onChange([...rules, { key, target: '', source: '', steps: '' }]);
        }}
      />
    </>
  );
};
