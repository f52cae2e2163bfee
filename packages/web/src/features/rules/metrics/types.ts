/** One kind of metric: a folder beside this file. Its name is `rules.operations.<operation>`. */
export interface MetricKind {
  /** it looks back at values or minutes and cannot do without */
  readonly needsWindow: boolean
}
