import { AppError } from '../../platform/errors.ts'
import type { Caller } from '../../platform/http/caller.ts'
import type { DriverViewer } from './sight.store.ts'

/** The drivers visible to the caller, through permissions on drivers, or on devices, which need them. */
export function viewerOf(caller: Caller): DriverViewer {
  return {
    scopeIds: [
      ...new Set([
        ...manageScopes(caller),
        ...caller.scopeIds('DeviceDriver', 'read'),
        ...deviceScopes(caller),
      ]),
    ],
  }
}

/** Scopes whose devices the caller may count and whose packets the caller may read. */
export function deviceScopes(caller: Caller): number[] {
  const actions = ['read', 'write', 'manage'] as const
  return [...new Set(actions.flatMap((action) => caller.scopeIds('VirtualDevice', action)))]
}

/** Scopes whose devices the caller may change. */
export function deviceWriteScopes(caller: Caller): number[] {
  const actions = ['write', 'manage'] as const
  return [...new Set(actions.flatMap((action) => caller.scopeIds('VirtualDevice', action)))]
}

/** Scopes whose drivers the caller may create, change and delete. */
export function manageScopes(caller: Caller): number[] {
  return [...caller.scopeIds('DeviceDriver', 'manage')]
}

/** @throws AppError NO_PERMISSION */
export function requireManage(caller: Caller, scopeId: number): void {
  if (manageScopes(caller).includes(scopeId)) return
  throw new AppError('NO_PERMISSION', { subject: 'DeviceDriver', action: 'manage' })
}

/**
 * Requires permission to manage any driver, because running submitted code is equivalent to storing it.
 * @throws AppError NO_PERMISSION
 */
export function requireWriter(caller: Caller): void {
  if (manageScopes(caller).length > 0) return
  throw new AppError('NO_PERMISSION', { subject: 'DeviceDriver', action: 'manage' })
}

/** Scopes of accounts for which the caller may accept versions of other accounts' drivers. */
export function acceptScopes(caller: Caller): number[] {
  return [...new Set([...manageScopes(caller), ...caller.scopeIds('VirtualDevice', 'manage')])]
}

/**
 * Requires a system administrator, for drivers that run for all accounts.
 * @throws AppError NO_PERMISSION
 */
export function requireSystem(caller: Caller): void {
  if (caller.can('super.system', 'manage')) return
  throw new AppError('NO_PERMISSION', { subject: 'super.system', action: 'manage' })
}
