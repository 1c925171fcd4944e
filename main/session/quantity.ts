/** A Kubernetes quantity, exactly, in billionths of its unit: the smallest step that the API knows. */
export type Quantity = bigint;

const nano = 1_000_000_000n;

const decimal: Record<string, number> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const binary: Record<string, bigint> = {
  Ki: 1n << 10n,
  Mi: 1n << 20n,
  Gi: 1n << 30n,
  Ti: 1n << 40n,
  Pi: 1n << 50n,
  Ei: 1n << 60n,
};

/**
 * Parses what the API accepts (`500m`, `1.5Gi`, `2e3`, `-1`). Fractions below a billionth are rounded away
 * from zero, as the server does. Undefined for anything else, so that hostile text cannot become a number.
 */
export function parseQuantity(text: string | number): Quantity | undefined {
  const match = /^([+-]?)(\d{1,40})?(?:\.(\d{0,40}))?(?:([eE])([+-]?\d{1,3})|([numkMGTPE]|[KMGTPE]i))?$/.exec(
    String(text),
  );
  if (match === null) return undefined;
  const [, sign, whole = '', fraction = '', exponentMark, exponent, suffix = ''] = match;
  if (whole === '' && fraction === '') return undefined;
  const power = exponentMark === undefined ? (decimal[suffix] ?? 0) : Number(exponent);
  if (Math.abs(power) > 60) return undefined;
  let numerator = BigInt(whole + fraction) * nano * (binary[suffix] ?? 1n);
  let denominator = 10n ** BigInt(fraction.length);
  if (power >= 0) numerator *= 10n ** BigInt(power);
  else denominator *= 10n ** BigInt(-power);
  const rounded = (numerator + denominator - 1n) / denominator;
  return sign === '-' ? -rounded : rounded;
}

/** For people: the largest binary unit that divides it, otherwise whole units, thousandths or billionths. */
export function formatQuantity(quantity: Quantity): string {
  if (quantity < 0n) return `-${formatQuantity(-quantity)}`;
  if (quantity % nano !== 0n) {
    return quantity % 1_000_000n === 0n ? `${quantity / 1_000_000n}m` : `${quantity}n`;
  }
  const units = quantity / nano;
  for (const [suffix, factor] of Object.entries(binary).reverse()) {
    if (units >= factor && units % factor === 0n) return `${units / factor}${suffix}`;
  }
  return String(units);
}
