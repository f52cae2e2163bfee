import { retentionMonthsDefault } from '@leitstand/contract/accounts'

const dayMs = 86_400_000
const yearMonths = 12

export interface AccountSetting {
  id: number
  parentId: number | null
  name: string
  /** null: inherited from the parent */
  months: number | null
}

export interface AccountRetention {
  id: number
  name: string
  months: number
}

/** Retention of each account: its own setting, else that of the nearest parent that has one. */
export function retentionOf(accounts: readonly AccountSetting[]): AccountRetention[] {
  const byId = new Map(accounts.map((account) => [account.id, account]))
  return accounts.map(({ id, name }) => {
    let account = byId.get(id)
    while (account !== undefined && account.months === null)
      account = account.parentId === null ? undefined : byId.get(account.parentId)
    return { id, name, months: account?.months ?? retentionMonthsDefault }
  })
}

/**
 * The day before which data is deleted. A day later than what is still accepted, so that accepted data is not
 * deleted at once; whole UTC days, so that no roll-up is split.
 */
export function keptSince(now: Date, months: number): Date {
  const date = new Date(now)
  date.setUTCMonth(date.getUTCMonth() - months)
  return new Date(Math.floor(date.getTime() / dayMs) * dayMs - dayMs)
}

/** How long to keep what is kept like values, but for a year at least, such as the activity log. */
export function yearAtLeast(months: number): number {
  return Math.max(months, yearMonths)
}

/** A monthly partition. */
export interface Partition {
  table: string
  name: string
  /** first moment, and the first after it */
  from: Date
  to: Date
}

const namePattern = /_(\d{4})_(\d{2})$/

/** The month of a partition, by its name; null for tables that are not ours. */
export function partitionOf(table: string, name: string): Partition | null {
  const match = namePattern.exec(name)
  if (match === null || name !== `${table}${match[0]}`) return null
  const [year, month] = [Number(match[1]), Number(match[2])]
  return { table, name, from: new Date(Date.UTC(year, month - 1)), to: new Date(Date.UTC(year, month)) }
}

/** What to delete: whole partitions, and by account the partitions in which it has rows that are too old. */
export interface Plan {
  drop: Partition[]
  clear: Map<number, Partition[]>
}

/** A partition is dropped only when it is too old for every account. */
export function planRetention(
  accounts: readonly AccountRetention[],
  partitions: readonly Partition[],
  now: Date,
): Plan {
  const longest = accounts.reduce((most, { months }) => Math.max(most, months), 0)
  if (longest === 0) return { drop: [], clear: new Map() }
  const keptByAll = keptSince(now, longest)
  const left = partitions.filter(({ to }) => to > keptByAll)
  const clear = accounts.flatMap(({ id, months }): [number, Partition[]][] => {
    const before = keptSince(now, months)
    const touched = left.filter(({ from }) => from < before)
    return touched.length === 0 ? [] : [[id, touched]]
  })
  return { drop: partitions.filter(({ to }) => to <= keptByAll), clear: new Map(clear) }
}
