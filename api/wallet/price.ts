/** A price such as `49.00` for 4900 of the smallest unit of `pln`, with the decimals of ISO 4217. */
export function priceOf(price: number | string, currency: string): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  const decimals = format.resolvedOptions().maximumFractionDigits ?? 0;
  return (Number(price) / 10 ** decimals).toFixed(decimals);
}
