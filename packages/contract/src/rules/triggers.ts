/**
 * What wakes a rule. `values`: a stored value that is the newest of a state its metrics look at. Rules do not choose yet:
 * each has this one.
 */
export const triggerKinds = ['values'] as const
export type TriggerKind = (typeof triggerKinds)[number]
