import { type ModuleKey, moduleKeys } from '@leitstand/contract/permissions'

/** What an account says about a module. */
export interface ModuleSwitch {
  enabled: boolean
  /** decided by somebody who administers the account above */
  fromAbove: boolean
  /** null inherits */
  toNewUsers: boolean | null
  version: number
}

/** An account with what it says; without a word a module is on and inherits the rest. */
export interface SwitchingAccount {
  id: number
  name: string
  scopeId: number
  switches: ReadonlyMap<ModuleKey, ModuleSwitch>
}

export interface ModuleState extends ModuleSwitch {
  module: ModuleKey
  /** on here and in every account above */
  effective: boolean
  /** the nearest account above that keeps the module off */
  offAt: SwitchingAccount | null
  effectiveToNewUsers: boolean
}

const unsaid: ModuleSwitch = { enabled: true, fromAbove: false, toNewUsers: null, version: 1 }

/**
 * How the modules of an account stand.
 * @param path the account and those above it, nearest first
 */
export function moduleStates(path: readonly SwitchingAccount[]): ModuleState[] {
  const [own, ...above] = path
  return moduleKeys.map((module) => {
    const said = own?.switches.get(module) ?? unsaid
    const offAt = above.find(({ switches }) => switches.get(module)?.enabled === false) ?? null
    const effective = said.enabled && offAt === null
    const decided = path
      .map(({ switches }) => switches.get(module)?.toNewUsers ?? null)
      .find((one) => one !== null)
    return { ...said, module, effective, offAt, effectiveToNewUsers: effective && (decided ?? false) }
  })
}

/**
 * Whether somebody may switch a module on: not what an account above has off, nor what somebody above has switched off
 * here.
 * @param isAbove whether they administer the account above, or the installation
 */
export function mayTurnOn({ enabled, fromAbove, offAt }: ModuleState, isAbove: boolean): boolean {
  return offAt === null && (enabled || !fromAbove || isAbove)
}
