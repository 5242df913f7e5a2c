/** How much of a capacity is taken; the colours change at 80 % and 95 %. */
export const Gauge = ({
  label,
  value,
  max,
}: {
  readonly label: string;
  readonly value: number;
  readonly max: number;
}) => (
  <meter
    class="gauge"
    aria-label={label}
    min={0}
    max={Math.max(max, 1)}
    low={max * 0.8}
    high={max * 0.95}
    optimum={0}
    value={Math.min(value, max)}
  />
);
