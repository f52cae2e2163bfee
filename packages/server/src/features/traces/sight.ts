import type { Executor } from '../../platform/db/index.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { accountsOfScopes } from '../rights/index.ts'
import { type Category, readScopes, stateScopes } from '../twins/index.ts'
import { findDeviceAt, type StateRow } from './store.ts'

/** What the caller of a trace may see. */
export interface Sight {
  seesDevice(device: { scopeId: number }): boolean
  seesState(state: { twinCategory: Category; scopeId: number }): boolean
  /** a rule on one of its twins */
  seesRule(place: { scopeId: number; homeScopeId: number }): boolean
  /** the page of a connector */
  opensConnector(connector: { scopeId: number }): boolean
  /** accounts whose mails the caller may read */
  mailAccounts: readonly number[]
  /** The device at the address that a state of a twin listens to. */
  deviceAt(state: StateRow): Promise<number | undefined>
}

export async function sightOf(db: Executor, caller: Caller): Promise<Sight> {
  const twins = new Set(readScopes(caller, 'digitalTwin'))
  const devices = new Set(readScopes(caller, 'virtualDevice'))
  const scopes = stateScopes(caller)
  const states = { digitalTwin: new Set(scopes.digitalTwin), virtualDevice: new Set(scopes.virtualDevice) }
  const managed = caller.scopeIds('all', 'manage')
  return {
    seesDevice: ({ scopeId }) => devices.has(scopeId),
    seesState: ({ twinCategory, scopeId }) => states[twinCategory].has(scopeId),
    seesRule: ({ scopeId, homeScopeId }) => twins.has(scopeId) && twins.has(homeScopeId),
    opensConnector: ({ scopeId }) => managed.includes(scopeId),
    mailAccounts: [...(await accountsOfScopes(db, managed))],
    deviceAt: (state) => findDeviceAt(db, state),
  }
}
