import type { SettingsOf, StateSource } from '@leitstand/contract/states'
import type { Category, StateForm } from '../form.ts'

/** Errors by field, as keys below `states.faults`. */
export type Faults = Partial<Record<keyof StateForm, string>>

/** A kind of source in the state editor. */
export interface ConsoleSource<S extends StateSource = StateSource> {
  /** where it is offered, at which place in the list */
  offered: Partial<Record<Category, number>>
  /** which fields the editor shows for it */
  fields: 'none' | 'connector' | 'aggregate' | 'timeseries' | 'random' | 'system'
  /** category of the states that an aggregate offers; absent: both */
  of?: Category
  /** The settings in the form. */
  settings(form: StateForm): SettingsOf<S>
  faults(form: StateForm, category: Category): Faults
}
