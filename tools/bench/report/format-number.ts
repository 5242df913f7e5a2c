const SIGNIFICANT = 3;

/** Three significant digits without an exponent; a dash if there is no number. */
export const formatNumber = (value: number | undefined): string => {
  if (value === undefined || !Number.isFinite(value)) return '–';
  if (Math.abs(value) >= 100) return String(Math.round(value));
  if (value === 0) return '0';
  const decimals = SIGNIFICANT - 1 - Math.floor(Math.log10(Math.abs(value)));
  return value.toFixed(Math.min(SIGNIFICANT, Math.max(0, decimals)));
};

export const formatPercent = (share: number): string =>
  `${share < 0 ? '−' : '+'}${Math.abs(Math.round(share * 100))} %`;
