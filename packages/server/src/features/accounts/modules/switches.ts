import { type ModuleKey, moduleKeys } from '@leitstand/contract/permissions'

/** An account's setting of a module. */
export interface ModuleSwitch {
  enabled: boolean
  /** set by an administrator of the account above */
  fromAbove: boolean
  /** null inherits */
  toNewUsers: boolean | null
  version: number
}

/** An account with its module settings; a module without one is on and inherits the rest. */
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
 * The state of each module in an account.
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
 * Whether a caller may switch a module on: not when an account above has it off, or an administrator above
 * switched it off here.
 * @param isAbove whether the caller administers the account above, or the installation
 */
export function mayTurnOn({ enabled, fromAbove, offAt }: ModuleState, isAbove: boolean): boolean {
  return offAt === null && (enabled || !fromAbove || isAbove)
}
