import type { SourceDefinition, StateFields, StateQuery, ValueType } from '@leitstand/contract/states'
import type * as z from 'zod'
import { AppError } from '../../../platform/errors.ts'
import type { Category } from '../policy.ts'

type Fields = { [F in keyof typeof StateFields]: z.infer<(typeof StateFields)[F]> }

/** Editable fields of a state. */
export type StateInput = Fields & SourceDefinition

/** A state's source as stored, with what it refers to. */
export interface CheckedSource {
  /** only settings of this source */
  settings: SourceDefinition['sourceSettings']
  connectorId: number | null
  identifier: string | null
  variable: string | null
  /** states it is computed from, without duplicates */
  sourceIds: number[]
  /** finds the states it is computed from; null: it has a list, or none */
  query: StateQuery | null
  /** it shows what only administrators of the installation may see, or those who may see devices */
  isFor?: 'administrators' | 'deviceReaders'
}

/** A state as far as its source depends on it. */
export interface SourceOwner {
  category: Category
  key: string
  valueType: ValueType
}

/** A kind of source. Its values are computed or received where the data passes: `series` or `ingest`. */
export interface SourceKind<Settings> {
  /** its values are computed from other states, by `features/series/derived` */
  isAggregate: boolean
  /** whether rules may set the state; values set for a computed one would be overwritten at once */
  isSettable: boolean
  /** it takes what is sent to an address: states with the same address get the same values */
  listens?: true
  /** The settings with other states in place of those they name; absent: they name none. */
  withStates?(settings: Settings, stateIdOf: (id: number) => number): Settings
  /**
   * Completes the settings, and names the connector and states they use.
   * @throws AppError VALIDATION_ERROR with `field` and a message
   */
  check(settings: Settings, owner: SourceOwner): CheckedSource
}

/** A source that uses nothing. */
export const nothing = { connectorId: null, identifier: null, variable: null, sourceIds: [], query: null }

export function invalid(field: string, message: string): AppError {
  return new AppError('VALIDATION_ERROR', { field }, message)
}
