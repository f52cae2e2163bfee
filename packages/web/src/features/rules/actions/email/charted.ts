import type { MetricDraft } from '../../draft.ts'

/** The metrics of one state each, whose values a chart can show. */
export function chartedAliases(metrics: readonly MetricDraft[]): string[] {
  return metrics.filter(isOfOneState).map(({ alias }) => alias)
}

function isOfOneState({ operation, own }: MetricDraft): boolean {
  if (operation === 'related') return own.of !== 'children'
  return operation !== 'clock' && operation !== 'property' && operation !== 'position'
}
