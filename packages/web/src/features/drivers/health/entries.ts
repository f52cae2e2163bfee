import type { HealthConfig, HealthEntry } from '@leitstand/contract/health'

/** What an entry evaluates. */
export type LooksAt = 'value' | 'expression' | 'age'

export function looksAt(entry: HealthEntry, expertMode: boolean): LooksAt {
  if (entry.olderThanDuration !== null) return 'age'
  return expertMode ? 'expression' : 'value'
}

/** Changes what an entry evaluates. */
export function lookAt(entry: HealthEntry, what: LooksAt): HealthEntry {
  const bare = { ...entry, condition: null, expression: '', olderThanDuration: null, olderThanVariable: null }
  if (what === 'age') return { ...bare, olderThanDuration: 24 * 60 }
  if (what === 'value') return { ...bare, condition: { variable: '', operator: 'lt', value: 0 } }
  return bare
}

export function newEntry(expertMode: boolean): HealthEntry {
  const bare: HealthEntry = {
    identifier: '',
    category: 'device',
    type: 'warning',
    description: '',
    condition: null,
    expression: '',
    olderThanDuration: null,
    olderThanVariable: null,
  }
  return lookAt(bare, expertMode ? 'expression' : 'value')
}

/** Conditions and expressions cannot be converted into each other: switching modes starts empty. */
export function inMode(config: HealthConfig, expertMode: boolean): HealthConfig {
  return { ...config, expertMode, stateKeys: [], entries: [] }
}

type Limit = string | number | boolean

/** Parses a comparison value: a number, true or false, else a string; always a string in quotes. */
export function readLimit(text: string): Limit {
  const trimmed = text.trim()
  if (trimmed === 'true' || trimmed === 'false') return trimmed === 'true'
  const quoted = /^"(.*)"$/s.exec(trimmed)
  if (quoted) return quoted[1] ?? ''
  const number = Number(trimmed.replace(',', '.'))
  return trimmed !== '' && Number.isFinite(number) ? number : trimmed
}

/** The reverse of `readLimit`. */
export function writeLimit(limit: Limit): string {
  if (typeof limit !== 'string') return String(limit)
  return readLimit(limit) === limit ? limit : `"${limit}"`
}

export const durationUnits = { minute: 1, hour: 60, day: 1440 } as const
export type DurationUnit = keyof typeof durationUnits

/** A rounded duration: minutes up to two hours, hours up to two days, else days. */
export function roughDuration(ms: number): { amount: number; unit: DurationUnit } {
  const minutes = ms / 60_000
  const unit = minutes < 120 ? 'minute' : minutes < 2880 ? 'hour' : 'day'
  return { amount: Math.max(1, Math.round(minutes / durationUnits[unit])), unit }
}

/** Minutes in the largest unit that divides them. */
export function splitDuration(minutes: number): { amount: number; unit: DurationUnit } {
  const unit = minutes % 1440 === 0 ? 'day' : minutes % 60 === 0 ? 'hour' : 'minute'
  return { amount: minutes / durationUnits[unit], unit }
}
