import type { ImportSettings } from '@leitstand/contract/bulk'
import type { UnacceptedDriver } from '@leitstand/contract/driverAcceptance'
import { fitsPreset, normaliseExternalId } from '@leitstand/contract/identifiers'
import type { CellFault } from '@leitstand/contract/jobs'
import type { Executor } from '../../platform/db/index.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { type ConnectorRow, findTaken } from '../devices/index.ts'
import { canUseDriver, findUsableDrivers, listUnaccepted } from '../drivers/index.ts'
import { listScopes, writeScopes } from '../twins/index.ts'
import { titleOf } from './cells.ts'
import { type DeviceInput, doubled, type ReadRow, readRow } from './mapping.ts'
import { findParent, findParents, type Nameable } from './store.ts'
import { inTurns } from './turns.ts'

/** A checked row of a file. */
export interface CheckedRow {
  title: string
  /** undefined with faults */
  input: DeviceInput | undefined
  faults: CellFault[]
}

/** The rows of a file, and the drivers of other accounts that still have to be accepted for them. */
export interface CheckedTable {
  rows: CheckedRow[]
  /** all of them, also those that `acceptDrivers` names */
  drivers: UnacceptedDriver[]
  /** those that it does not name */
  unaccepted: UnacceptedDriver[]
}

/**
 * Reads rows, resolves their references and finds existing devices. Valid rows can still be refused when they
 * are created, because of the account limit or a device created in the meantime.
 */
export async function checkRows(
  db: Executor,
  caller: Caller,
  connector: ConnectorRow,
  { header, rows }: { header: readonly string[]; rows: readonly (readonly string[])[] },
  settings: ImportSettings,
): Promise<CheckedTable> {
  const read = await inTurns(rows, (cells) => readRow(cells, header, settings))
  const namesOf = (what: 'driver' | 'parent') => [
    ...new Set(read.flatMap(({ named }) => (named[what] === null ? [] : [named[what]]))),
  ]
  const { accountId } = connector
  const scopeIds = [...new Set([...listScopes(caller), ...writeScopes(caller, 'virtualDevice')])]
  const drivers = await findUsableDrivers(db, caller, accountId, namesOf('driver'))
  const parents = await findParents(db, { accountId, scopeIds }, namesOf('parent'))
  const chosen = await checkSettings(db, caller, { accountId, scopeIds }, settings)
  const externalIds = read.flatMap(({ input }) => (input ? [normaliseExternalId(input.externalId)] : []))
  const taken = await findTaken(db, connector.id, externalIds)
  const again = doubled(read)
  const titles = {
    driver: titleOf(header, settings.columns, 'driver'),
    parent: titleOf(header, settings.columns, 'parent'),
    externalId: titleOf(header, settings.columns, 'externalId'),
  }
  const driverOf = chooser(drivers)
  const parentOf = chooser(parents)
  const checked = await inTurns(read, (row, at) => {
    const faults = [...row.faults]
    if (again.has(at)) faults.push({ code: 'DOUBLE_IN_FILE', column: titles.externalId })
    if (row.input && !fitsPreset(row.input.externalId, connector.preset))
      faults.push({ code: 'DEVICE_EUI_INVALID', column: titles.externalId })
    if (row.input && taken.has(normaliseExternalId(row.input.externalId)))
      faults.push({ code: 'DEVICE_ALREADY_EXISTS', column: titles.externalId })
    const driver = driverOf(row.named.driver)
    const parent = parentOf(row.named.parent)
    faults.push(
      ...faultOf(driver, chosen.driver, { code: 'DEVICEDRIVER_NOT_FOUND', column: titles.driver }),
      ...faultOf(parent, chosen.parent, { code: 'DTWIN_NOT_FOUND', column: titles.parent }),
    )
    return {
      title: row.title,
      faults,
      accountId: typeof parent === 'number' ? accountId : chosen.accountId,
      input: faults.length > 0 ? undefined : withChosen(row, driver, parent),
    }
  })
  return withAcceptance(db, checked, settings)
}

/** Finds the drivers that have to be accepted; rows that use one accept the version that was chosen for it. */
async function withAcceptance(
  db: Executor,
  checked: readonly (CheckedRow & { accountId: number })[],
  { acceptDrivers, driverId, driverVersion }: ImportSettings,
): Promise<CheckedTable> {
  const uses = new Map<string, { accountId: number; driverId: number }>()
  const keys = await inTurns(checked, ({ input, accountId }) => {
    if (input === undefined || input.driverId === null) return ''
    const key = `${accountId} ${input.driverId}`
    if (!uses.has(key)) uses.set(key, { accountId, driverId: input.driverId })
    return key
  })
  const found = await listUnaccepted(db, [...uses.values()])
  const open = new Map(found.map(({ id, usedBy }) => [`${usedBy} ${id}`, id]))
  const numbers = new Map(acceptDrivers.map((each) => [each.driverId, each.number]))
  const rows = await inTurns(checked, ({ title, faults, input }, at): CheckedRow => {
    const acceptDriver = numbers.get(open.get(keys[at] ?? '') ?? 0)
    if (input === undefined || acceptDriver === undefined) return { title, faults, input }
    return { title, faults, input: { ...input, acceptDriver } }
  })
  const drivers = [...new Map(found.map(({ usedBy: _, ...driver }) => [driver.id, driver])).values()].map(
    (driver) => (driver.id === driverId ? { ...driver, number: driverVersion ?? driver.number } : driver),
  )
  return { rows, drivers, unaccepted: drivers.filter(({ id }) => !numbers.has(id)) }
}

/**
 * Whether the driver and parent chosen for all rows are visible to the caller, and the account they belong
 * to. Invisible ones are treated as missing.
 */
async function checkSettings(
  db: Executor,
  caller: Caller,
  { accountId, scopeIds }: { accountId: number; scopeIds: readonly number[] },
  { driverId, driverVersion, parentId }: ImportSettings,
): Promise<{ driver: boolean; parent: boolean; accountId: number }> {
  const parent = parentId === null ? undefined : await findParent(db, scopeIds, parentId)
  const place = parent?.accountId ?? accountId
  return {
    driver: driverId === null || (await canUseDriver(db, caller, place, driverId, driverVersion)),
    parent: parentId === null || parent !== undefined,
    accountId: place,
  }
}

/** Faults of a reference in a cell or, if the cell is empty, of the choice for all rows. */
function faultOf(named: Named, isChosenThere: boolean, missing: CellFault): CellFault[] {
  if (named === undefined) return isChosenThere ? [] : [{ ...missing, column: null }]
  if (named === 'unknown') return [missing]
  return named === 'ambiguous' ? [{ ...missing, code: 'AMBIGUOUS' }] : []
}

/** The reference in a cell: an id, none, or an unusable one. */
type Named = ReturnType<ReturnType<typeof chooser>>

/** Resolves references in cells; an id takes precedence over a title. Undefined: the cell is empty. */
export function chooser(
  found: readonly Nameable[],
): (name: string | null) => number | undefined | 'unknown' | 'ambiguous' {
  const byId = new Map(found.map(({ id }) => [String(id), id]))
  const byTitle = Map.groupBy(found, ({ title }) => title)
  return (name) => {
    if (name === null) return undefined
    const [first, second] = byTitle.get(name) ?? []
    return byId.get(name) ?? (second === undefined ? (first?.id ?? 'unknown') : 'ambiguous')
  }
}

function withChosen(
  { input }: ReadRow,
  driver: number | undefined | string,
  parent: number | undefined | string,
): DeviceInput | undefined {
  return (
    input && {
      ...input,
      ...(typeof driver === 'number' ? { driverId: driver, driverVersion: null } : {}),
      ...(typeof parent === 'number' ? { parentId: parent } : {}),
    }
  )
}
