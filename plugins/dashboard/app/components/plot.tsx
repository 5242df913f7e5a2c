import { useEffect, useRef, useState } from 'preact/hooks';
import UPlot from 'uplot';
import { theme } from '../preferences.ts';
import 'uplot/dist/uPlot.min.css';

export interface PlotSeries {
  readonly title: string;
  /** A class of style/plot.css, which gives its colour. */
  readonly tone: 'accent' | 'good' | 'warning' | 'bad';
  readonly values: readonly number[];
}

const HEIGHT = 220;
const CLOCK = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  hour: '2-digit',
  minute: '2-digit',
});
const HOUR = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const DAY = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short' });
const COUNT = new Intl.NumberFormat('en');

/** Canvases know no variables: the browser computes the colour of a class. */
const colourOf = (frame: HTMLElement, name: string): string => {
  const probe = document.createElement('span');
  probe.className = `tone-${name}`;
  frame.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
};

/** The time of day; the date at midnight. */
const tickOf = (seconds: number): string => {
  const time = new Date(seconds * 1000);
  return time.getHours() === 0 && time.getMinutes() === 0 ? DAY.format(time) : HOUR.format(time);
};

const drawIn = (
  frame: HTMLElement,
  times: readonly number[],
  series: readonly PlotSeries[],
  onPoint: (index: number | null) => void,
): UPlot => {
  const line = colourOf(frame, 'line');
  const text = colourOf(frame, 'soft');
  const axis = {
    stroke: text,
    font: '12px system-ui, sans-serif',
    ticks: { show: false },
    grid: { stroke: line, width: 1 },
  };
  return new UPlot(
    {
      width: frame.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      // On the right, for half of the last label.
      padding: [12, 36, 0, 0],
      cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
      scales: { y: { range: (_plot, _min, max) => [0, Math.max(4, max * 1.1)] } },
      axes: [
        {
          ...axis,
          grid: { show: false },
          space: 70,
          values: (_plot, splits) => splits.map(tickOf),
        },
        { ...axis, size: 46, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 1e5] },
      ],
      series: [
        {},
        ...series.map(({ title, tone }, index) => {
          const stroke = colourOf(frame, tone);
          return {
            label: title,
            stroke,
            width: 2,
            points: { show: false },
            ...(index === 0 && { fill: colourOf(frame, `${tone}-fill`) }),
          };
        }),
      ],
      hooks: { setCursor: [({ cursor: { idx } }) => onPoint(idx ?? null)] },
    },
    [[...times], ...series.map(({ values }) => [...values])],
    frame,
  );
};

/** Counts over time, with the same figures as a table for screen readers. */
const Plot = ({
  caption,
  times,
  series,
}: {
  readonly caption: string;
  /** Seconds since 1970. */
  readonly times: readonly number[];
  readonly series: readonly PlotSeries[];
}) => {
  const frame = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<number | null>(null);
  const [redraws, setRedraws] = useState(0);
  useEffect(() => {
    const dark = window.matchMedia('(prefers-color-scheme: dark)');
    const redraw = () => setRedraws((count) => count + 1);
    dark.addEventListener('change', redraw);
    return () => dark.removeEventListener('change', redraw);
  }, []);
  useEffect(() => {
    const element = frame.current;
    if (!element) return undefined;
    const plot = drawIn(element, times, series, setAt);
    const observer = new ResizeObserver(() =>
      plot.setSize({ width: element.clientWidth, height: HEIGHT }),
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [times, series, theme.value, redraws]);
  const total = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0);
  const pointed = at === null ? undefined : times[at];
  return (
    <figure class="plot">
      <figcaption class="split">
        <span class="plot-time">
          {pointed === undefined ? caption : CLOCK.format(new Date(pointed * 1000))}
        </span>
        <span class="cluster" aria-hidden="true">
          {series.map(({ title, tone, values }) => (
            <span key={title} class="row">
              <i class={`tone-${tone}`} />
              {title}
              <b>{COUNT.format(at === null ? total(values) : (values[at] ?? 0))}</b>
            </span>
          ))}
        </span>
      </figcaption>
      <div ref={frame} class="plot-frame" aria-hidden="true" />
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
              <tr key={time}>
                <th scope="row">{CLOCK.format(new Date(time * 1000))}</th>
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
