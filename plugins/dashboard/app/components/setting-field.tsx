import { CheckField, ChoiceCards, type FieldProps, TextField } from './fields.tsx';

type Value = string | number | boolean | null;

/** A setting as the OpenAPI document describes it. */
export interface SettingSchema {
  readonly title: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly 'x-setting': {
    readonly about: string;
    readonly values?: Readonly<Record<string, readonly [title: string, about: string]>>;
    readonly when_null?: string;
  };
}

/** The control of a setting: cards, a check box or a number. */
export const SettingField = ({
  name,
  schema: { title, minimum, maximum, 'x-setting': control },
  value,
  onChange,
}: FieldProps<Value> & {
  readonly name: string;
  readonly schema: SettingSchema;
}) => {
  const { about, values, when_null: whenNull } = control;
  const plain = about.replaceAll('`', '');
  if (values)
    return (
      <ChoiceCards
        legend={title}
        name={name}
        choices={Object.entries(values).map(([key, [short, more]]) => [key, short, more])}
        value={String(value)}
        onChange={onChange}
      />
    );
  if (whenNull !== undefined)
    return (
      <TextField
        label={title}
        name={name}
        hint={`${plain} Empty: ${whenNull}.`}
        type="number"
        {...(minimum !== undefined && { min: minimum })}
        {...(maximum !== undefined && { max: maximum })}
        value={value === null ? '' : String(value)}
        onChange={(text) => onChange(text === '' ? null : Number(text))}
      />
    );
  return <CheckField label={title} hint={plain} value={value === true} onChange={onChange} />;
};
