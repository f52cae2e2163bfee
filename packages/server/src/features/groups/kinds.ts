import { TwinFilters } from '@leitstand/contract/twins'
import { StateViewFilter, type ViewKind } from '@leitstand/contract/views'
import { DeviceFilters } from '@leitstand/contract/virtualdevices'
import type { Caller } from '../../platform/http/caller.ts'
import { listScopes, readScopes } from '../twins/index.ts'

/** A list whose filters can be saved. */
export interface Kind<Filter extends object> {
  readonly name: ViewKind
  /** Filters are stored as JSON and parsed with the current schema. */
  readonly parse: (stored: unknown) => Filter
  /** Scopes of the accounts that a filter may be intended for. */
  readonly scopes: (caller: Caller) => number[]
}

export const deviceViews: Kind<DeviceFilters> = {
  name: 'devices',
  parse: (stored) => DeviceFilters.parse(stored),
  scopes: (caller) => readScopes(caller, 'virtualDevice'),
}

export const stateViews: Kind<StateViewFilter> = {
  name: 'states',
  parse: (stored) => StateViewFilter.parse(stored),
  scopes: (caller) => listScopes(caller),
}

export const twinViews: Kind<TwinFilters> = {
  name: 'twins',
  parse: (stored) => TwinFilters.parse(stored),
  scopes: (caller) => listScopes(caller),
}
