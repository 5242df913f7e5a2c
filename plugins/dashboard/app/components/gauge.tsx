/** How much of a capacity is taken; the colours change at 80 % and 95 %, unless it is progress. */
export const Gauge = ({
  label,
  value,
  max,
  isProgress = false,
}: {
  readonly label: string;
  readonly value: number;
  readonly max: number;
  readonly isProgress?: boolean;
}) => (
  <meter
    class="gauge"
    aria-label={label}
    min={0}
    max={Math.max(max, 1)}
    low={isProgress ? 0 : max * 0.8}
    high={isProgress ? 0 : max * 0.95}
    optimum={isProgress ? max : 0}
    value={Math.min(value, max)}
  />
);
