import type { TFunction } from 'i18next'
import { formatNumber } from '../../lib/format.ts'
import { placeOf } from './accountValues.ts'
import type { Account } from './queries.ts'

type Limited = Account['limits']['csvExport']

/** Default device limit of a bulk job, if no account sets one. */
export const bulkDefault = 500

/** Source of the effective limit; for users who may change it, also what an empty field means. */
export function limitHint(t: TFunction, { value, from }: Limited, account: Account): string {
  const open = account.limitsEditable
  const place = placeOf(account)
  if (value === null) return open ? t(`accounts.limit.free.${place}`) : ''
  if (from === null) return open ? t(`accounts.limit.own.${place}`) : ''
  const shown = { value: formatNumber(value), name: from.name ?? '' }
  return from.name === null ? t('accounts.limit.fromAbove', shown) : t('accounts.limit.from', shown)
}

/** Like `limitHint`, for the limit with a platform-wide default. */
export function bulkHint(t: TFunction, limit: Limited, account: Account): string {
  const place = placeOf(account)
  const isDefault = limit.value === null || place === 'top'
  if (!isDefault || !account.limitsEditable) return limitHint(t, limit, account)
  return t(`accounts.limit.bulkFree.${place}`, { count: bulkDefault })
}

/** Like `limitHint`; the default of the installation applies to each customer without a limit of its own. */
export function mailHint(t: TFunction, account: Account): string {
  const { limits, ruleMailsDefault: count } = account
  const { value } = limits.ruleMails
  const isDefault = count !== null && count === leastOf(value, count)
  if (!isDefault) return limitHint(t, limits.ruleMails, account)
  if (!account.limitsEditable) return t('accounts.limit.mailsDefault', { count })
  return t(`accounts.limit.mailsFree.${placeOf(account)}`, { count })
}

export function leastOf(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other
  return Math.min(one, other)
}
