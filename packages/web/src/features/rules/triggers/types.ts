/** One kind of trigger: a folder next to this file. */
export interface TriggerView {
  /** text key that describes when it triggers */
  readonly text: string
}
