import type { TargetedPointerEvent } from 'preact';
import { useState } from 'preact/hooks';

interface PlotSeries {
  readonly title: string;
  /** A class of style/plot.css, which gives its colour. */
  readonly tone: 'accent' | 'good' | 'bad';
  readonly values: readonly number[];
}

const CLOCK = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  hour: '2-digit',
  minute: '2-digit',
});
const HOUR = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const DAY = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short' });
const DAYS_MS = 2 * 86_400_000;
const COUNT = new Intl.NumberFormat('en');

/** Where the lines begin and end, in percent of the height; below are the times. */
const [TOP, BOTTOM] = [8, 88];

const sumOf = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0);

/** Counts over time, with the same figures as a table for screen readers. */
const Plot = ({
  caption,
  times,
  series,
}: {
  readonly caption: string;
  readonly times: readonly Date[];
  readonly series: readonly PlotSeries[];
}) => {
  const [at, setAt] = useState<number>();
  const last = Math.max(1, times.length - 1);
  const most = 2 * Math.max(2, Math.ceil(Math.max(...series.flatMap(({ values }) => values)) / 2));
  const tick = Number(times.at(-1)) - Number(times[0]) > DAYS_MS ? DAY : HOUR;
  const point = ({ currentTarget, clientX }: TargetedPointerEvent<SVGSVGElement>) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    setAt(Math.min(last, Math.max(0, Math.round(((clientX - left) / width) * last))));
  };
  const pointed = at === undefined ? undefined : times[at];
  return (
    <figure class="plot">
      <figcaption class="split">
        {pointed === undefined ? caption : CLOCK.format(pointed)}
        <span class="cluster" aria-hidden="true">
          {series.map(({ title, tone, values }) => (
            <span key={title} class="row">
              <i class={`tone-${tone}`} />
              {title}
              <b>{COUNT.format(at === undefined ? sumOf(values) : (values[at] ?? 0))}</b>
            </span>
          ))}
        </span>
      </figcaption>
      <svg aria-hidden="true" onPointerMove={point} onPointerLeave={() => setAt(undefined)}>
        {[0, most / 2, most].map((count) => {
          const y = BOTTOM - ((BOTTOM - TOP) * count) / most;
          return (
            <g key={count}>
              <line x2="100%" y1={`${y}%`} y2={`${y}%`} />
              <text y={`${y - 2}%`}>{COUNT.format(count)}</text>
            </g>
          );
        })}
        {times.map((time, index) => {
          const isShown = index % Math.ceil(times.length / 5) === 0;
          return (
            isShown && (
              <text
                key={index}
                x={`${(index / last) * 100}%`}
                y="99%"
                text-anchor={index === 0 ? 'start' : 'middle'}
              >
                {tick.format(time)}
              </text>
            )
          );
        })}
        <svg
          y={`${TOP}%`}
          height={`${BOTTOM - TOP}%`}
          viewBox={`0 0 ${last} ${most}`}
          preserveAspectRatio="none"
        >
          {at !== undefined && <line x1={at} x2={at} y2={most} />}
          {series.map(({ title, tone, values }) => (
            <polyline
              key={title}
              class={`tone-${tone}`}
              points={values.map((value, index) => `${index},${most - value}`).join(' ')}
            />
          ))}
        </svg>
      </svg>
      <div class="visually-hidden">
        <table>
          <caption>{caption}</caption>
          <thead>
            <tr>
              <th scope="col">Time</th>
              {series.map(({ title }) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {times.map((time, index) => (
              <tr key={index}>
                <th scope="row">{CLOCK.format(time)}</th>
                {series.map(({ title, values }) => (
                  <td key={title}>{values[index]}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
};

export default Plot;
