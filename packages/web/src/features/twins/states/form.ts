import type { AggregationMethod } from '@leitstand/contract/series'
import type {
  PositionAxis,
  SourceSettings,
  State,
  StateSource,
  SystemFigure,
  ValueType,
  Visualization,
  WindowOperation,
} from '@leitstand/contract/states'
import type { PeriodUnit } from '@leitstand/contract/states/periods'
import type { TimeRange } from '@leitstand/contract/timeRanges'
import { definitionOf, sources } from './sources/index.ts'

/** A number field: empty or a number. */
export type NumberField = number | ''

/** Form values of the state editor. */
export interface StateForm extends Record<string, unknown> {
  key: string
  title: string
  unit: string
  /** what a new unit means for the stored values */
  unitChange: 'label' | 'values'
  icon: string | null
  source: StateSource
  valueType: ValueType
  decimals: NumberField
  positionAxis: PositionAxis | null
  transformer: string
  lowerBound: NumberField
  upperBound: NumberField
  connectorId: string | null
  identifier: string
  variable: string
  /** how an aggregate finds its states */
  by: 'list' | 'query'
  stateIds: number[]
  queryKey: string
  queryTwinId: string | null
  queryCategory: Category | 'any'
  queryTypes: string[]
  queryTags: string[]
  queryZones: string[]
  queryDriverIds: string[]
  queryTemplateIds: string[]
  /** what a state counts that has had no new value for a time */
  staleCounts: 'used' | 'dropped' | 'unknown'
  staleMinutes: NumberField
  method: AggregationMethod
  operation: WindowOperation
  /** of a time series; `own`: the length in the two fields after it */
  period: TimeRange | 'own'
  periodCount: NumberField
  periodUnit: PeriodUnit
  aligned: boolean
  figure: SystemFigure
  min: NumberField
  max: NumberField
  everySeconds: NumberField
  kind: Visualization['kind']
  scaleMin: NumberField
  scaleMax: NumberField
  lowerThreshold: NumberField
  upperThreshold: NumberField
}

export type Category = 'digitalTwin' | 'virtualDevice'

export const emptyState: StateForm = {
  key: '',
  title: '',
  unit: '',
  unitChange: 'label',
  icon: null,
  valueType: 'number',
  decimals: '',
  positionAxis: null,
  transformer: '',
  lowerBound: '',
  upperBound: '',
  connectorId: null,
  identifier: '',
  variable: '',
  by: 'list',
  stateIds: [],
  figure: 'devices',
  queryKey: '',
  queryTwinId: null,
  queryCategory: 'any',
  queryTypes: [],
  queryTags: [],
  queryZones: [],
  queryDriverIds: [],
  queryTemplateIds: [],
  staleCounts: 'used',
  staleMinutes: 60,
  min: '',
  max: '',
  everySeconds: 60,
  scaleMin: '',
  scaleMax: '',
  lowerThreshold: '',
  upperThreshold: '',
  source: 'none',
  method: 'avg',
  operation: 'avg',
  period: '24h',
  periodCount: 8,
  periodUnit: 'hour',
  aligned: false,
  kind: 'value',
}

const field = (value: number | null | undefined): NumberField => value ?? ''
const nullable = (value: NumberField): number | null => (value === '' ? null : value)

/** The editable parts of a state, stored or not. */
type EditedState = Omit<State, 'id' | 'twinId' | 'position' | 'value' | 'time' | 'version' | 'fixed'>

/** Converts a state to form values. */
export function toForm(state: EditedState): StateForm {
  const { visualization: look } = state
  const from: SourceSettings = state.sourceSettings
  return {
    key: state.key,
    title: state.title,
    unit: state.unit,
    unitChange: 'label',
    icon: state.icon,
    source: state.source,
    valueType: state.valueType,
    decimals: field(state.decimals),
    positionAxis: state.positionAxis,
    transformer: state.transformer ?? '',
    lowerBound: field(state.lowerBound),
    upperBound: field(state.upperBound),
    connectorId: from.connectorId === undefined ? null : String(from.connectorId),
    identifier: from.identifier ?? '',
    variable: from.variable ?? '',
    by: from.query === undefined ? 'list' : 'query',
    stateIds: from.stateIds ?? [],
    queryKey: from.query?.key ?? '',
    queryTwinId: from.query?.twinId === undefined ? null : String(from.query.twinId),
    queryCategory: from.query?.category ?? 'any',
    queryTypes: from.query?.types ?? [],
    queryTags: from.query?.tags ?? [],
    queryZones: from.query?.zones ?? [],
    queryDriverIds: (from.query?.driverIds ?? []).map(String),
    queryTemplateIds: (from.query?.templateIds ?? []).map(String),
    staleCounts: from.stale?.counts ?? 'used',
    staleMinutes: from.stale === undefined ? emptyState.staleMinutes : from.stale.afterSeconds / 60,
    method: from.method ?? 'avg',
    operation: from.operation ?? 'avg',
    ...toPeriod(from.period),
    aligned: from.aligned ?? false,
    figure: from.figure ?? 'devices',
    min: field(from.min),
    max: field(from.max),
    everySeconds: field(from.everySeconds ?? 60),
    kind: look.kind,
    scaleMin: field(look.min),
    scaleMax: field(look.max),
    lowerThreshold: field(look.lowerThreshold),
    upperThreshold: field(look.upperThreshold),
  }
}

function toPeriod(
  period: SourceSettings['period'],
): Pick<StateForm, 'period' | 'periodCount' | 'periodUnit'> {
  const { periodCount, periodUnit } = emptyState
  if (period === undefined) return { period: emptyState.period, periodCount, periodUnit }
  return 'range' in period
    ? { period: period.range, periodCount, periodUnit }
    : { period: 'own', periodCount: period.count, periodUnit: period.unit }
}

/** Converts to API input, without id, key and version. Settings of other sources are dropped. */
export function toInput(form: StateForm) {
  return {
    title: form.title.trim(),
    unit: form.unit.trim(),
    icon: form.icon,
    ...definitionOf(form),
    valueType: form.valueType,
    transformer: form.transformer.trim() === '' ? null : form.transformer,
    lowerBound: form.valueType === 'number' ? nullable(form.lowerBound) : null,
    upperBound: form.valueType === 'number' ? nullable(form.upperBound) : null,
    decimals: form.valueType === 'number' ? nullable(form.decimals) : null,
    positionAxis: form.valueType === 'number' ? form.positionAxis : null,
    visualization: visualization(form),
  }
}

function visualization(form: StateForm): Visualization {
  if (form.valueType !== 'number') return { kind: form.kind === 'gauge' ? 'value' : form.kind }
  return {
    kind: form.kind,
    ...(form.scaleMin === '' ? {} : { min: form.scaleMin }),
    ...(form.scaleMax === '' ? {} : { max: form.scaleMax }),
    ...(form.lowerThreshold === '' ? {} : { lowerThreshold: form.lowerThreshold }),
    ...(form.upperThreshold === '' ? {} : { upperThreshold: form.upperThreshold }),
  }
}

/**
 * Form errors by field, as keys below `states.faults`. The server runs the same checks; this one runs while
 * typing.
 */
export function formFaults(form: StateForm, category: Category): Partial<Record<keyof StateForm, string>> {
  const faults: Partial<Record<keyof StateForm, string>> = {}
  if (form.title.trim() === '') faults.title = 'required'
  if (!/^[A-Za-z0-9_.]{1,100}$/.test(form.key)) faults.key = form.key === '' ? 'required' : 'key'
  Object.assign(faults, sources[form.source].faults(form, category))
  if (form.valueType === 'number') Object.assign(faults, limitFaults(form))
  return faults
}

function limitFaults(form: StateForm): Partial<Record<keyof StateForm, string>> {
  const faults: Partial<Record<keyof StateForm, string>> = {}
  const { lowerBound, upperBound, scaleMin, scaleMax, lowerThreshold, upperThreshold } = form
  if (lowerBound !== '' && upperBound !== '' && lowerBound >= upperBound) faults.upperBound = 'maxAboveMin'
  if (scaleMin !== '' && scaleMax !== '' && scaleMin >= scaleMax) faults.scaleMax = 'maxAboveMin'
  for (const [name, value] of [
    ['lowerThreshold', lowerThreshold],
    ['upperThreshold', upperThreshold],
  ] as const) {
    if (value === '') continue
    if ((scaleMin !== '' && value <= scaleMin) || (scaleMax !== '' && value >= scaleMax))
      faults[name] = 'thresholdInside'
  }
  if (lowerThreshold !== '' && upperThreshold !== '' && lowerThreshold >= upperThreshold)
    faults.upperThreshold = 'thresholdOrder'
  return faults
}

/** Derives a key from a title: `Temperatur außen (°C)` → `temperatur_aussen_c`. */
export function keyOf(title: string): string {
  return title
    .normalize('NFC')
    .toLowerCase()
    .replaceAll('ä', 'ae')
    .replaceAll('ö', 'oe')
    .replaceAll('ü', 'ue')
    .replaceAll('ß', 'ss')
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9_.]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 100)
}
