import type { AlarmNotification } from '@leitstand/contract/alarmNotifications'
import type { Alarm } from '@leitstand/contract/alarms'

/** What is entered in the form. */
export interface Values {
  title: string
  channel: AlarmNotification['channel']
  connectorId: number | null
  severity: 'warning' | 'error'
  categories: Alarm['category'][]
  sources: Alarm['source'][]
  twinId: number | null
  groupId: number | null
  resolved: boolean
  isDigest: boolean
  digestAt: string
  isQuiet: boolean
  quietFrom: string
  quietTo: string
}

/** @param notification null: a new one */
export function valuesOf(notification: AlarmNotification | null): Values {
  return {
    title: notification?.title ?? '',
    channel: notification?.channel ?? 'mail',
    connectorId: notification?.connectorId ?? null,
    severity: notification?.errorsOnly ? 'error' : 'warning',
    categories: notification?.categories ?? [],
    sources: notification?.sources ?? [],
    twinId: notification?.twinId ?? null,
    groupId: notification?.groupId ?? null,
    resolved: notification?.resolved ?? false,
    isDigest: (notification?.digestAt ?? null) !== null,
    digestAt: notification?.digestAt ?? '07:00',
    isQuiet: (notification?.quiet ?? null) !== null,
    quietFrom: notification?.quiet?.from ?? '22:00',
    quietTo: notification?.quiet?.to ?? '06:00',
  }
}

/** The input of the operations; fields of other choices are left out. */
export function inputOf(values: Values, active: boolean) {
  const {
    title,
    channel,
    categories,
    sources,
    twinId,
    groupId,
    resolved,
    quietFrom: from,
    quietTo: to,
  } = values
  return {
    title: title.trim(),
    active,
    channel,
    connectorId: channel === 'webhook' ? values.connectorId : null,
    errorsOnly: values.severity === 'error',
    categories,
    sources,
    twinId,
    groupId,
    resolved,
    digestAt: values.isDigest ? values.digestAt : null,
    quiet: values.isQuiet && !values.isDigest ? { from, to } : null,
  }
}

const time = /^\d\d:\d\d$/

/** Fields with a fault, and which. */
export function faultKeysOf(values: Values): Partial<Record<keyof Values, 'required'>> {
  const { title, channel, connectorId, isDigest, digestAt, isQuiet, quietFrom, quietTo } = values
  return {
    ...(title.trim() === '' ? { title: 'required' } : {}),
    ...(channel === 'webhook' && connectorId === null ? { connectorId: 'required' } : {}),
    ...(isDigest && !time.test(digestAt) ? { digestAt: 'required' } : {}),
    ...(isQuiet && !isDigest && !(time.test(quietFrom) && time.test(quietTo))
      ? { quietFrom: 'required' }
      : {}),
  }
}
