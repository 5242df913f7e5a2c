import { FieldError } from '../form-errors.tsx';
import { EVENT_FAMILIES, type Subscription } from '../webhook-events.ts';
import { CheckField, type FieldProps, toggled } from './fields.tsx';

/** Which events a webhook gets: all, families, or single ones. */
export const EventPicker = ({
  name,
  value: events,
  onChange,
}: FieldProps<readonly Subscription[]>) => {
  const isAll = events.includes('*');
  return (
    <fieldset class="event-picker">
      <legend>Events</legend>
      <FieldError name={name} />
      <CheckField
        label="All events, including those added in later versions"
        isSwitch
        value={isAll}
        onChange={(isChosen) => onChange(isChosen ? ['*'] : [])}
      />
      {!isAll && (
        <div class="grid">
          {EVENT_FAMILIES.map(({ family, title, events: names }) => {
            const whole = `${family}.*` as const;
            const isWhole = events.includes(whole);
            return (
              <fieldset key={family}>
                <legend class="visually-hidden">{title}</legend>
                <label class="family">
                  <input
                    type="checkbox"
                    checked={isWhole}
                    onChange={() =>
                      onChange([
                        ...events.filter((event) => !event.startsWith(`${family}.`)),
                        ...(isWhole ? [] : [whole]),
                      ])
                    }
                  />
                  {`${title}: all`}
                </label>
                {names.map(([name, about]) => (
                  <label key={name}>
                    <input
                      type="checkbox"
                      checked={isWhole || events.includes(name)}
                      disabled={isWhole}
                      onChange={() => onChange(toggled(events, name))}
                    />
                    {about}
                  </label>
                ))}
              </fieldset>
            );
          })}
        </div>
      )}
    </fieldset>
  );
};
