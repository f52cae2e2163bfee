/** An example topic that matches the first of these filters, with `+` and `#` replaced. */
export function sampleTopic([filter]: readonly string[]): string | undefined {
  return filter
    ?.split('/')
    .map((level) => (level === '+' || level === '#' ? 'sample' : level))
    .join('/')
}
