import type { Alarm } from '@leitstand/contract/alarms'
import type { TFunction } from 'i18next'
import { thingPath } from '../../lib/recentEntries.ts'

type Origin = Pick<Alarm, 'originCategory' | 'originId' | 'accountId'>

/** The page of what an alarm is about. */
export function originPath({ originCategory, originId, accountId }: Origin): string {
  if (originCategory === 'connector') return `/connectors/edit/${accountId}/${originId}`
  return originCategory === 'platform' || originId === null
    ? '/system-settings'
    : thingPath(originCategory, originId)
}

/** The page that explains an alarm: the executions of its rule, the health of its device, the log of its connector. */
export function reasonPath(alarm: Origin & Pick<Alarm, 'ruleId' | 'source'>): string {
  const { ruleId, source } = alarm
  if (ruleId !== null) return `${originPath(alarm)}?tab=rules&history=${ruleId}`
  return `${originPath(alarm)}${source === 'health' ? '?tab=health' : ''}`
}

/** The alarm with its comments, in the alarm log. */
export function alarmPath(id: number): string {
  return `/alarm-logs?alarm=${id}`
}

/**
 * What an alarm says, in the reader's language where the platform itself says it. Rules and the entries of a health
 * configuration have texts of their own.
 */
export function messageOf(
  t: TFunction,
  { source, message, details }: Pick<Alarm, 'source' | 'message' | 'details'>,
): string {
  if (source === 'rule' || source === 'health') return message
  if (source === 'platform')
    return t(`alarms.messages.platform.${String(details.reason)}`, { ...details, defaultValue: message })
  // The number of hours decides between singular and plural.
  return t(`alarms.messages.${source}`, { ...details, count: details.hours as number, defaultValue: message })
}
