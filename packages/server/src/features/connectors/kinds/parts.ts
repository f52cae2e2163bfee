/** A topic a message can have that one of these filters lets through: of the first one, `+` and `#` replaced. */
export function sampleTopic([filter]: readonly string[]): string | undefined {
  return filter
    ?.split('/')
    .map((level) => (level === '+' || level === '#' ? 'sample' : level))
    .join('/')
}
