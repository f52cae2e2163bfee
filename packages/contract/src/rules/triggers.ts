/**
 * Triggers of rules. `values`: a new current value of a state that its metrics use. Not configurable yet:
 * every rule has this trigger.
 */
export const triggerKinds = ['values'] as const
export type TriggerKind = (typeof triggerKinds)[number]
