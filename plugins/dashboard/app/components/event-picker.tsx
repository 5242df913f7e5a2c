import { FieldError } from '../form-errors.tsx';
import { EVENT_FAMILIES, type Subscription } from '../webhook-events.ts';

const toggle = (events: readonly Subscription[], name: Subscription): readonly Subscription[] =>
  events.includes(name) ? events.filter((other) => other !== name) : [...events, name];

/** Which events a webhook gets: all, families, or single ones. */
export const EventPicker = ({
  name,
  value: events,
  onChange,
}: {
  readonly name: string;
  readonly value: readonly Subscription[];
  readonly onChange: (events: readonly Subscription[]) => void;
}) => {
  const isAll = events.includes('*');
  return (
    <fieldset class="event-picker">
      <legend>Events</legend>
      <FieldError name={name} />
      <label>
        <input
          type="checkbox"
          role="switch"
          checked={isAll}
          onChange={() => onChange(isAll ? [] : ['*'])}
        />
        All events, including those added in later versions
      </label>
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
                      onChange={() => onChange(toggle(events, name))}
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
