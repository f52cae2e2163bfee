/** Series names: include the twin only if there are several, the state only if it differs. */
export function seriesNames(series: readonly { title: string; twinTitle: string }[]): string[] {
  const twins = new Set(series.map((each) => each.twinTitle))
  const titles = new Set(series.map((each) => each.title))
  return series.map((each) => {
    if (twins.size === 1) return each.title
    return titles.size === 1 ? each.twinTitle : `${each.twinTitle} › ${each.title}`
  })
}
