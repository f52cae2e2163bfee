import type { RuleTrigger } from '@leitstand/contract/rules'
import type { ComponentType } from 'react'
import type { IconType } from '../../../ui/display/Icon.tsx'

/** The words of triggers in the user's language. */
export interface TriggerWords {
  text(key: string, values?: Record<string, unknown>): string
  /** the name of a metric by its alias */
  metric(alias: string): string
  weekdays(days: readonly number[]): string
  /** the name of a twin or device; null: it does not exist, or may not be seen; “…” while it is read */
  twin(id: number): string | null
  /** “a, b or c” */
  list(parts: readonly string[]): string
}

/** An error of a trigger: a field, and a key below `rules.faults`. */
export interface TriggerFault {
  field: string
  key: string
}

export interface TriggerFormProps<T> {
  trigger: T
  aliases: readonly string[]
  /** the rule runs on many twins */
  isForMany: boolean
  faultAt: (field: string) => string | null
  onChange: (trigger: T) => void
}

/** One kind of trigger: a folder next to this file. Its name is `rules.triggers.kinds.<kind>`. */
export interface TriggerKindView<T extends RuleTrigger> {
  readonly icon: IconType
  /** there can be only one in a rule */
  readonly isSingle?: true
  /** templates know no rules outside of them */
  readonly isOutside?: true
  create(aliases: readonly string[]): T
  /** When it wakes its rule, as the beginning of a sentence: “every day at 07:30”. */
  phrase(trigger: T, words: TriggerWords): string
  /** The same after a metric was renamed. */
  rename?(trigger: T, from: string, to: string): T
  /** The same in a rule for many. */
  forMany?(trigger: T): T
  /** Twins and devices that its words name. */
  twins?(trigger: T): readonly number[]
  /** Validation errors; the server runs the same checks. */
  faults?(trigger: T, aliases: readonly string[]): TriggerFault[]
  /** loaded when it is shown; absent: there is nothing to choose */
  readonly Form?: ComponentType<TriggerFormProps<T>>
}
