/** One kind of metric: a folder next to this file. Its name is `rules.operations.<operation>`. */
export interface MetricKind {
  /** it requires a window of values or minutes */
  readonly needsWindow: boolean
}
