import type { TFunction } from 'i18next'
import { formatTime } from '../../../lib/format.ts'
import type { Step } from './diagnosis.ts'

export function heading({ step, details: { kind } }: Step, t: TFunction): string {
  const name = t(`devices.diagnosis.step.${step}`)
  return kind === undefined ? name : `${name} · ${t(`connectors.kind.${kind}.name`)}`
}

export function sentence({ finding, details }: Step, t: TFunction): string {
  const { code, message, at, ...rest } = details
  const cause =
    code === undefined ? (message ?? '') : t(`errors.${code}`, { defaultValue: String(message ?? code) })
  return t(`devices.diagnosis.finding.${finding}`, {
    ...rest,
    ...(at === undefined ? {} : { time: formatTime(at) }),
    cause,
  })
}
