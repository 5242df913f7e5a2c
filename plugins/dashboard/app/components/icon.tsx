/** Strokes on a grid of 24. */
const PATHS = {
  activity: 'M3 12h4l3-8 4 16 3-8h4',
  alert: 'M12 4 2.5 20h19L12 4Zm0 6v4.5m0 3v.01',
  bolt: 'M13 3 5 14h6l-1 7 8-11h-6l1-7Z',
  check: 'm5 12.5 4.5 4.5L19 7.5',
  chevron: 'm9 6 6 6-6 6',
  clock: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18Zm0 4.5V12l3 2',
  close: 'm6 6 12 12M18 6 6 18',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  cross: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18Zm-3 6 6 6m0-6-6 6',
  door: 'M6 21V4l9-1v18M3 21h18M15 5h3v16m-7-9v.01',
  download: 'M12 4v11m-4.5-4L12 15.5 16.5 11M5 20h14',
  external: 'M10 5H5v14h14v-5M14 4h6v6m0-6-9 9',
  group:
    'M9 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm-6.5 8c0-3 3-5 6.5-5s6.5 2 6.5 5M16 4.5a4 4 0 0 1 0 7m2 3.7c2.2.7 3.5 2.5 3.5 4.8',
  help: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18Zm-2.5 6.5a2.5 2.5 0 1 1 3.5 2.3c-.7.4-1 .9-1 1.7m0 3v.01',
  home: 'M4 11.5 12 4l8 7.5V20h-5.5v-5h-5v5H4v-8.5Z',
  inbox: 'M4 13 6.5 5h11L20 13v6H4v-6Zm0 0h5l1 2.5h4l1-2.5h5',
  info: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18Zm0 8v5.5m0-9v.01',
  key: 'M15 4a5 5 0 1 1-4.6 7L4 17.5V20h3v-2h2v-2h2l1.4-1.4A5 5 0 0 1 15 4Zm1 4v.01',
  list: 'M8 6h12M8 12h12M8 18h12M4 6v.01M4 12v.01M4 18v.01',
  lock: 'M6 11h12v9H6v-9Zm2.5 0V8a3.5 3.5 0 0 1 7 0v3',
  menu: 'M4 7h16M4 12h16M4 17h16',
  message: 'M4 5h16v11H10l-4.5 4v-4H4V5Zm4 4h8m-8 3.5h5',
  minus: 'M6 12h12',
  more: 'M5 12v.01M12 12v.01M19 12v.01',
  moon: 'M20 14.5A8 8 0 1 1 9.5 4a6.5 6.5 0 0 0 10.5 10.5Z',
  out: 'M14 5H5v14h9m-3-7h9m-3.5-3.5L20 12l-3.5 3.5',
  pause: 'M8 5v14M16 5v14',
  play: 'm7 5 12 7-12 7V5Z',
  plug: 'M9 3v5m6-5v5M6 8h12v3a6 6 0 0 1-12 0V8Zm6 9v4',
  plus: 'M12 5v14m-7-7h14',
  pulse:
    'M5.5 5.5a9 9 0 0 0 0 13m13 0a9 9 0 0 0 0-13M8.5 8.5a5 5 0 0 0 0 7m7 0a5 5 0 0 0 0-7M12 12v.01',
  rows: 'M4 6h16M4 12h16M4 18h16',
  'rows-compact': 'M4 5h16M4 9.7h16M4 14.3h16M4 19h16',
  refresh: 'M20 5v5h-5M4 19v-5h5m10-4a7.5 7.5 0 0 0-13-3.5M5 14a7.5 7.5 0 0 0 13 3.5',
  room: 'M4 5h16v11H13l-5 4v-4H4V5Z',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14Zm5 12 4.5 4.5',
  server: 'M4 5h16v6H4zM4 13h16v6H4zM8 8v.01M8 16v.01',
  settings:
    'M4 7h9m5 0h2M4 17h2m5 0h9M15.5 4.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5Zm-7 10a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5Z',
  shield: 'M12 3 5 6v5.5c0 4.5 3 7.8 7 9.5 4-1.7 7-5 7-9.5V6l-7-3Zm-3 9 2.2 2.2L15.5 10',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8Zm0-5v2m0 14v2m9-9h-2M5 12H3m15.4-6.4L17 7M7 17l-1.4 1.4m0-12.8L7 7m10 10 1.4 1.4',
  system: 'M4 5h16v11H4zM9 20h6m-3-4v4',
  up: 'm6 15 6-6 6 6',
  down: 'm6 9 6 6 6-6',
  user: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm-7.5 8.5c0-3.2 3.4-5.5 7.5-5.5s7.5 2.3 7.5 5.5',
  wand: 'm5 19 10-10 2.5 2.5L7.5 21.5zM16 3v3m-1.5-1.5h3M20 8v2m-1-1h2M9 4v2M8 5h2',
  webhook:
    'M9 8.5a3.5 3.5 0 1 1 5 3.2l3 4.8m-4.5-8-4 7M6 13a3.5 3.5 0 1 0 3.5 4.5H16m.5-3a3.5 3.5 0 1 1-1 5.5',
} as const;

export type IconName = keyof typeof PATHS;

/** Decoration: the text beside it says the same. */
export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
    <path d={PATHS[name]} />
  </svg>
);
