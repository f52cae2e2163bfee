/** One kind of trigger: a folder beside this file. */
export interface TriggerView {
  /** says when it wakes a rule, by its key */
  readonly text: string
}
