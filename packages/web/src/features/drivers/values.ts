import type { JsonValue } from '@leitstand/contract/common'
import { Text, Title } from '@leitstand/contract/common'
import { type PredefinedDownlink, PredefinedDownlinks } from '@leitstand/contract/downlinks'
import { DriverSpecs, DriverVariable, GoldenPacket } from '@leitstand/contract/drivers'
import { HealthConfig, noHealthConfig } from '@leitstand/contract/health'
import {
  CalculatedList,
  hasScript,
  lookAlikes,
  Parser,
  targetsOf,
  variableNames,
} from '@leitstand/contract/parsers'
import i18next from 'i18next'
import * as z from 'zod'
import { check } from '../../lib/validation.ts'
import { emptyParser, kinds, type ParserValues, toParser, toParserValues } from './parser/kinds/index.ts'
import type { Driver, Golden, Variable } from './queries.ts'

/** Single-line fields of the technical specification without fixed choices. */
export const shortSpecs = [
  'connectivity',
  'frequency',
  'txPower',
  'configuration',
  'powerSupply',
  'operatingTemperature',
  'dimensions',
  'protection',
  'certifications',
] as const

/** Text fields of the technical specification; blank ones are not stored. */
export const specKeys = [
  'deviceName',
  'revision',
  'technology',
  ...shortSpecs,
  'documentationUrl',
  'installationNotes',
] as const
export type SpecKey = (typeof specKeys)[number]

/** A variable computed from others. */
export interface CalculatedValues {
  key: string
  expression: string
}

export interface DriverValues extends Record<string, unknown> {
  title: string
  description: string
  manufacturer: string
  model: string
  visibility: 'account' | 'everyone'
  specs: Record<SpecKey, string> & { highlights: string[]; packetsPerDay: number | string }
  parser: ParserValues
  /** token of an external parser; empty: unchanged, null: none */
  parserSecret: string | null
  script: string
  calculated: CalculatedValues[]
  variables: Variable[]
  golden: Golden[]
  health: HealthConfig
  downlinks: PredefinedDownlink[]
}

const emptySpecs = (): DriverValues['specs'] => ({
  ...(Object.fromEntries(specKeys.map((key) => [key, ''])) as Record<SpecKey, string>),
  highlights: [],
  packetsPerDay: '',
})

export function emptyDriver(): DriverValues {
  return {
    title: '',
    description: '',
    manufacturer: '',
    model: '',
    visibility: 'account',
    specs: emptySpecs(),
    parser: emptyParser('function'),
    parserSecret: '',
    script: kinds.function.scriptStart ?? '',
    calculated: [],
    variables: [],
    golden: [],
    health: noHealthConfig(),
    downlinks: [],
  }
}

export function toValues(driver: Omit<Driver, 'version'> | Driver): DriverValues {
  const specs = emptySpecs()
  for (const key of specKeys) {
    const text = driver.specs[key]
    if (typeof text === 'string') specs[key] = text
  }
  return {
    title: driver.title,
    description: driver.description,
    manufacturer: driver.manufacturer,
    model: driver.model,
    visibility: driver.visibility,
    specs: {
      ...specs,
      highlights: driver.specs.highlights ?? [],
      packetsPerDay: driver.specs.packetsPerDay ?? '',
    },
    parser: toParserValues(driver.parser),
    parserSecret: '',
    script: driver.script,
    calculated: driver.calculated,
    variables: driver.variables,
    golden: driver.golden,
    health: driver.health,
    downlinks: driver.downlinks,
  }
}

/**
 * Input common to create and update.
 * @param known specification fields of the stored driver that this console has no field for; they are kept
 */
export function toInput(values: DriverValues, known: Readonly<Record<string, unknown>> = {}) {
  const others = Object.entries(known).filter(
    ([key]) => key !== 'highlights' && key !== 'packetsPerDay' && !specKeys.some((each) => each === key),
  )
  const texts = specKeys.flatMap((key) => {
    const text = values.specs[key].trim()
    return text === '' ? [] : [[key, text] as const]
  })
  const { highlights, packetsPerDay } = values.specs
  return {
    title: values.title.trim(),
    description: values.description,
    manufacturer: values.manufacturer.trim(),
    model: values.model.trim(),
    visibility: values.visibility,
    specs: {
      ...(Object.fromEntries(others) as Record<string, JsonValue>),
      ...Object.fromEntries(texts),
      ...(highlights.length > 0 ? { highlights } : {}),
      ...(packetsPerDay === '' ? {} : { packetsPerDay: Number(packetsPerDay) }),
    },
    parser: toParser(values.parser),
    ...(values.parserSecret === '' ? {} : { parserSecret: values.parserSecret }),
    script: values.script,
    calculated: values.calculated.map(({ key, expression }) => ({ key, expression })),
    variables: values.variables.filter(({ key }) => key.trim() !== ''),
    golden: values.golden,
    health: values.health,
    downlinks: values.downlinks,
  }
}

const scriptLengthMax = 262_144

/** A function needs a source. */
function needScript(
  { parser, script }: { parser: Pick<Parser, 'kind'>; script: string },
  context: z.RefinementCtx,
): void {
  if (hasScript(parser.kind) && script === '')
    context.addIssue({ code: 'too_small', origin: 'string', minimum: 1, input: script, path: ['script'] })
}

const Schema = z.object({
  title: Title,
  description: Text,
  manufacturer: z.string().max(200),
  model: z.string().max(200),
  specs: DriverSpecs,
  parser: Parser,
  script: z.string().max(scriptLengthMax),
  calculated: CalculatedList,
  variables: z.array(DriverVariable).max(200),
  golden: z.array(GoldenPacket).max(100),
  health: HealthConfig,
  downlinks: PredefinedDownlinks,
})

/** Form errors by field, including duplicate variables. */
export function checkDriver(values: DriverValues): Record<string, string> {
  const input = toInput(values)
  const faults = Object.entries(check(Schema.superRefine(needScript))(input))
  const { placeOfFault: placeOf = (path) => path } = kinds[values.parser.kind]
  const errors = Object.fromEntries(faults.map(([path, fault]) => [placeOf(path), fault]))
  values.variables.forEach(({ key }, index) => {
    if (key !== '' && values.variables.findIndex((other) => other.key === key) < index)
      errors[`variables.${index}.key`] = i18next.t('drivers.variables.twice')
  })
  const targets = new Set(targetsOf(input.parser))
  values.calculated.forEach(({ key }, index) => {
    if (targets.has(key)) errors[`calculated.${index}.key`] ??= i18next.t('drivers.variables.twice')
  })
  return errors
}

/** Whether a save creates a new version: parser, variables, golden packets, health or downlinks changed. */
export function makesVersion(values: DriverValues, stored: Driver): boolean {
  type Content = Pick<
    Driver,
    'parser' | 'script' | 'calculated' | 'variables' | 'golden' | 'health' | 'downlinks'
  >
  const content = ({ parser, script, calculated, variables, golden, health, downlinks }: Content) =>
    JSON.stringify([
      toParser(toParserValues(parser)),
      ...[script, calculated, variables, golden, health, downlinks],
    ])
  return content(toInput(values)) !== content(stored)
}

/** A driver's variable names that differ from another only by case. */
export function alikeNames({ parser, calculated, variables }: DriverValues): string[] {
  return lookAlikes(variableNames({ parser: toParser(parser), calculated, variables }))
}

const Pasted = z.object({
  title: Title,
  description: Text.default(''),
  manufacturer: z.string().max(200).default(''),
  model: z.string().max(200).default(''),
  specs: DriverSpecs.default({}),
  parser: Parser.default({ kind: 'function' }),
  script: z.string().max(scriptLengthMax).default(''),
  calculated: CalculatedList.default([]),
  variables: z.array(DriverVariable).max(200).default([]),
  golden: z.array(GoldenPacket).max(100).default([]),
  health: HealthConfig.default(noHealthConfig()),
  downlinks: PredefinedDownlinks.default([]),
})

/** A driver as JSON text, for another account or installation. */
export function toJson(values: DriverValues): string {
  const { visibility: _, parserSecret: __, ...portable } = toInput(values)
  return JSON.stringify(portable, null, 2)
}

/** Parses `toJson`'s output. @returns the values, or the errors by path; an empty path: not JSON at all */
export function fromJson(text: string): { values: DriverValues } | { faults: Record<string, string> } {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return { faults: { '': i18next.t('drivers.paste.notJson') } }
  }
  const faults = check(Pasted.superRefine(needScript))(json)
  if (Object.keys(faults).length > 0) return { faults }
  const { specs, parser, ...rest } = Pasted.parse(json)
  const texts = emptySpecs()
  for (const key of specKeys) texts[key] = specs[key] ?? ''
  return {
    values: {
      ...rest,
      parser: toParserValues(parser),
      parserSecret: '',
      visibility: 'account',
      specs: { ...texts, highlights: specs.highlights ?? [], packetsPerDay: specs.packetsPerDay ?? '' },
    },
  }
}
