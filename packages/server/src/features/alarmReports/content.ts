import {
  type AlarmReportCondition,
  type AlarmReportLanguage,
  type AlarmReportPeriod,
  type AlarmReportTable,
  type AlarmReportType,
  alarmReportLimits,
  alarmReportTables,
} from '@leitstand/contract/alarmReports'
import type { Executor } from '../../platform/db/index.ts'
import { countLow, type GroupRow, membersOf, sumPackets } from '../groups/index.ts'
import {
  type AlarmCounts,
  type AlarmRow,
  countAlarms,
  countDevices,
  type DeviceCounts,
  type DeviceRow,
  listAlarms,
  listIll,
  listQuiet,
} from './content.store.ts'
import { periodStart } from './times.ts'

const dayMs = 86_400_000
const { rowsMax } = alarmReportLimits

/** What a report is asked for. */
export interface Wanted {
  type: AlarmReportType
  conditions: readonly AlarmReportCondition[]
  language: AlarmReportLanguage
  tables: readonly AlarmReportTable[]
  period: AlarmReportPeriod
  timeZone: string
}

/** The figures of a report. */
export interface Figures extends AlarmCounts, DeviceCounts {
  /** devices below the packet threshold; null: the group has none */
  low: number | null
  /** devices that are silent or below the threshold */
  quiet: number
  /** in the last `windowHours` hours; null expected: nothing is known */
  received: number
  expected: number | null
  windowHours: number
}

/** Rows of a table, of which there are `total`. */
interface Part<T> {
  items: T[]
  total: number
}

/** Everything a report shows, in no language. */
export interface Content {
  groupTitle: string
  accountName: string
  from: Date
  to: Date
  figures: Figures
  openAlarms: Part<AlarmRow>
  newAlarms: Part<AlarmRow>
  resolvedAlarms: Part<AlarmRow>
  deviceHealth: Part<DeviceRow>
  packets: Part<DeviceRow>
}

/**
 * Reads what a report shows: all devices of the group, whoever asks.
 * @param asked.since the last report; alarms since then are new
 */
export async function readContent(
  db: Executor,
  group: GroupRow,
  wanted: Wanted,
  { now, since }: { now: Date; since: Date | null },
): Promise<Content> {
  const from = periodStart(wanted.period, wanted.timeZone, now)
  const silentBefore = new Date(now.getTime() - dayMs)
  const asked = { from, to: now, onlyPackets: wanted.type === 'packetMonitoring' }
  const ofTwins = await membersOf(db, group, { now, tables: ['twin'] })
  const all = await membersOf(db, group, { now, tables: ['twin', 'device', 'live'] })
  const { monitoring } = group
  const windowHours = monitoring?.windowHours ?? 24
  const alarms = await countAlarms(db, ofTwins, asked, since ?? from)
  const devices = await countDevices(db, all, silentBefore)
  const packets = await sumPackets(db, all, { now, windowHours, monitoring })
  const low = monitoring === null ? null : await countLow(db, group.id, all)
  const shows = (table: AlarmReportTable) => wanted.tables.includes(table)
  const alarmsOf = async (table: AlarmReportTable, which: 'open' | 'raised' | 'resolved') => ({
    items: shows(table) ? await listAlarms(db, ofTwins, which, asked, rowsMax) : [],
    total: alarms[which],
  })
  const quiet = await listQuiet(db, all, {
    groupId: group.id,
    silentBefore,
    limit: shows('packets') ? rowsMax : 1,
  })
  return {
    groupTitle: group.title,
    accountName: group.accountName,
    from,
    to: now,
    figures: {
      ...alarms,
      ...devices,
      low,
      quiet: quiet.total,
      received: packets.received,
      expected: packets.expected,
      windowHours,
    },
    openAlarms: await alarmsOf('openAlarms', 'open'),
    newAlarms: await alarmsOf('newAlarms', 'raised'),
    resolvedAlarms: await alarmsOf('resolvedAlarms', 'resolved'),
    deviceHealth: {
      items: shows('deviceHealth') ? await listIll(db, all, rowsMax) : [],
      total: devices.errors + devices.warnings,
    },
    packets: quiet,
  }
}

const tests: Readonly<Record<AlarmReportCondition, (figures: Figures) => boolean>> = {
  always: () => true,
  newErrors: ({ freshErrors }) => freshErrors > 0,
  newErrorsOrWarnings: ({ fresh }) => fresh > 0,
  activeErrors: ({ openErrors }) => openErrors > 0,
  activeErrorsOrWarnings: ({ open }) => open > 0,
  newThresholdAlarms: ({ freshLow }) => freshLow > 0,
  newAndResolvedThresholdAlarms: ({ freshLow, resolvedLow }) => freshLow + resolvedLow > 0,
}

/** Pure. The conditions that are met; the report is sent if there is one. */
export function metConditions(
  conditions: readonly AlarmReportCondition[],
  figures: Figures,
): AlarmReportCondition[] {
  return conditions.filter((condition) => tests[condition](figures))
}

/** Pure. The tables of a report in the order in which they are shown. */
export function tablesInOrder(tables: readonly AlarmReportTable[]): AlarmReportTable[] {
  return alarmReportTables.filter((table) => tables.includes(table))
}
