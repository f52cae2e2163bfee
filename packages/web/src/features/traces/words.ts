import type { MailOutcome } from '@leitstand/contract/rules'
import type { Trace, TraceStep } from '@leitstand/contract/traces'
import type { TFunction } from 'i18next'
import { faultDetail, faultTitle } from '../../lib/faults.ts'
import { formatDuration, formatNumber, formatTimeExact, formatValue, localeTag } from '../../lib/format.ts'
import {
  deliverySentence,
  detailText,
  mailSentence,
  outcomeGroups,
  signOfDelivery,
  signOfOutcome,
} from '../rules/pure.ts'
import { type Node, treeOf } from './tree.ts'

/** Characters of a value; the rest is a click away. */
const valueMax = 120

/** What a step is, in a few words. */
export function titleOf(step: TraceStep, t: TFunction): string {
  switch (step.kind) {
    case 'letter':
      return step.identifier === null
        ? t('trace.letter')
        : t('trace.letterOf', { identifier: short(step.identifier) })
    case 'packet':
      return t('trace.packet', { device: step.deviceTitle })
    case 'decode':
      return step.driver
        ? t('trace.decode', { driver: step.driver.title, version: step.driver.version ?? '–' })
        : t('trace.decodeNone')
    case 'value':
      return step.isStored
        ? `${step.title}: ${short(formatValue(step.value, step.unit))}`
        : t('trace.noValue', { state: step.title })
    case 'execution':
      return t('trace.execution', { rule: step.execution.ruleTitle })
    case 'unrecorded':
      return t('trace.execution', { rule: step.ruleTitle })
    case 'action':
      return t(`rules.kinds.${step.action.kind}`)
    case 'alarm':
      return t(step.isResolved ? 'trace.alarmResolved' : 'trace.alarmRaised', { message: step.message })
    case 'reminder':
      return t('trace.reminder')
    case 'hidden':
      return t('trace.hidden', { count: step.count })
    case 'more':
      return t('trace.more', { count: step.count })
    case 'lost':
      return t(`trace.lost.${step.what}`)
  }
}

/** How it is known that a step follows; null: it is recorded. */
export function knownText({ known }: TraceStep, t: TFunction): string | null {
  return known === 'recorded' ? null : t(`trace.known.${known}`)
}

/** What there is to say about a step, a line each. */
export function linesOf(step: TraceStep, t: TFunction): string[] {
  switch (step.kind) {
    case 'letter':
      return letterLines(step, t)
    case 'packet':
      return [
        step.connector ? t('trace.connector', { name: step.connector.name }) : t('trace.connectorGone'),
        [
          t('trace.size', { count: step.encoding === 'hex' ? step.length / 2 : step.length }),
          step.fPort === null ? '' : t('devices.packets.port', { port: step.fPort }),
          step.rssi === null ? '' : `${formatNumber(step.rssi)} dBm`,
          step.snr === null ? '' : `SNR ${formatNumber(step.snr)} dB`,
        ]
          .filter(Boolean)
          .join(' · '),
        ...(step.isLate ? [t('trace.late')] : []),
      ]
    case 'decode': {
      const unused = step.variables.filter(({ outcome }) => outcome !== 'stored')
      return [
        ...(step.error
          ? [[faultTitle(t, step.error), faultDetail(t, step.error)].filter(Boolean).join(': ')]
          : []),
        t('trace.variables', { count: step.variables.length }),
        ...unused.map(({ key, outcome }) => t(`trace.variable.${outcome}`, { key })),
      ]
    }
    case 'value':
      return [step.twinTitle, ...(step.isStored ? [] : [t('trace.noValueText')])]
    case 'execution': {
      const { twinTitle, result, error } = step.execution
      return [twinTitle, t(`rules.results.${result}`), ...(error ? [error] : [])]
    }
    case 'unrecorded':
      return [step.twinTitle, t(step.isOff ? 'trace.off' : step.isLate ? 'trace.lateNoRule' : 'trace.quiet')]
    case 'alarm':
      return [step.twinTitle, t(`alarms.severities.${step.severity}`)]
    case 'lost':
      return [t(`trace.reason.${step.reason}`)]
    default:
      return []
  }
}

/** Why a message stopped at its connector, or that it went on later. */
function letterLines(step: Extract<TraceStep, { kind: 'letter' }>, t: TFunction): string[] {
  const { connector, reason, detail, stage, attempts } = step
  return [
    t('trace.connector', { name: connector.name }),
    ...(reason === null
      ? [t('trace.letterUsed')]
      : [
          faultTitle(t, { code: reason }),
          ...(detail ? [detail] : []),
          t(stage === 'packet' ? 'trace.letterPacket' : 'trace.letterMessage'),
        ]),
    ...(attempts > 0 ? [t('trace.letterAgain', { count: attempts })] : []),
  ]
}

export interface OutcomeLine {
  sign: 'done' | 'waiting' | 'failed' | 'unknown'
  text: string
}

/** What became of an action or reminder until now, a line each. */
export function outcomesOf(step: TraceStep, t: TFunction): OutcomeLine[] {
  if (step.kind === 'reminder') return mailLines(step.mails, t)
  if (step.kind !== 'action') return []
  const { kind, ok, detail, mails, deliveries } = step.action
  if (mails) return mailLines(mails, t)
  if (deliveries)
    return deliveries.map((each) => ({
      sign: signOfDelivery[each.outcome],
      text: deliverySentence(t, kind, each),
    }))
  const text = detail === '' ? t(ok ? 'trace.done' : 'trace.failed') : detailText(detail, t)
  return [{ sign: ok ? 'done' : 'failed', text }]
}

function mailLines(mails: readonly MailOutcome[], t: TFunction): OutcomeLine[] {
  return outcomeGroups(mails).map((group) => ({
    sign: signOfOutcome[group.outcome],
    text: mailSentence(t, group),
  }))
}

/** How long after the step before; null: not known, or at once. */
export function lagOf({ lagMs }: TraceStep, t: TFunction): string | null {
  if (lagMs === null || lagMs === 0) return null
  return t(lagMs > 0 ? 'trace.later' : 'trace.earlier', { duration: durationText(Math.abs(lagMs)) })
}

/** Hours and days for long ones. */
function durationText(ms: number): string {
  const hours = ms / 3_600_000
  if (hours < 2) return formatDuration(ms)
  const unit = hours < 48 ? 'hour' : 'day'
  const format = new Intl.NumberFormat(localeTag(), {
    style: 'unit',
    unit,
    unitDisplay: 'long',
    maximumFractionDigits: 0,
  })
  return format.format(unit === 'hour' ? hours : hours / 24)
}

/** A trace as plain text, for those who help. */
export function traceText({ steps, cut, kept }: Trace, t: TFunction): string {
  const lines = (nodes: readonly Node[], depth: number): string[] =>
    nodes.flatMap(({ step, next }) => {
      const indent = '  '.repeat(depth)
      const time = step.at === null ? '' : `${formatTimeExact(step.at)}  `
      const asked = step.isAsked ? ` (${t('trace.asked')})` : ''
      const known = knownText(step, t)
      const details = [
        ...linesOf(step, t),
        ...(known === null ? [] : [known]),
        ...outcomesOf(step, t).map(({ text }) => text),
      ].map((line) => `${indent}    ${line}`)
      return [`${indent}- ${time}${titleOf(step, t)}${asked}`, ...details, ...lines(next, depth + 1)]
    })
  return [
    t('trace.title'),
    '',
    ...lines(treeOf(steps), 0),
    '',
    ...(cut ? [t('trace.cut')] : []),
    t('trace.keptMonths', { count: kept.months }),
  ].join('\n')
}

function short(text: string): string {
  return text.length > valueMax ? `${text.slice(0, valueMax)} …` : text
}
