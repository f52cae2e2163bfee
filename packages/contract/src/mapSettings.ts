import * as z from 'zod'
import { Id, jsonText } from './common.ts'
import { Value } from './series.ts'
import { ValueType, Visualization } from './states.ts'

/** Filled dots, or rings with the icon of the twin. */
export const markerStyles = ['default', 'outlined'] as const
export type MarkerStyle = (typeof markerStyles)[number]

export const markerOperators = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte'] as const
export type MarkerOperator = (typeof markerOperators)[number]

/** Colours of places, the most urgent last: a cluster has that of its most urgent member. */
export const markerColors = ['teal', 'green', 'gray', 'yellow', 'violet', 'red'] as const
export type MarkerColor = (typeof markerColors)[number]

/** Ranges of the numbers that describe how a map begins: whole, and from 0 or 1. */
export const mapRanges = {
  pitch: [0, 85],
  bearing: [0, 360],
  zoom: [0, 22],
  distance: [30, 200],
  style: [1, 4],
} as const

export const markerLimits = {
  statesMax: 5,
  tagsMax: 10,
  operatorsMax: 12,
  /** values of one place */
  valuesMax: 3,
} as const

/** Key or title of states, so that it means those of every twin below. */
const StateName = z.string().trim().min(1).max(100)

const orders = ['gt', 'gte', 'lt', 'lte']

/** A text that is exactly what a number is written as; in a URL all values are texts. */
function numberIn(value: unknown): unknown {
  return typeof value === 'string' && value !== '' && String(Number(value)) === value ? Number(value) : value
}

/** A colour, and an icon if there is one, for places with a state whose value fits. */
export const MarkerRule = z
  .strictObject({
    state: StateName,
    operator: z.enum(markerOperators),
    /** texts and the words `true` and `false` can only be equal or not */
    value: z.preprocess(numberIn, z.union([z.number(), z.string().trim().min(1).max(100)])),
    color: z.enum(markerColors),
    icon: z.string().max(50).nullable().default(null),
  })
  .refine(({ operator, value }) => typeof value === 'number' || !orders.includes(operator), {
    message: 'notANumber',
    path: ['value'],
  })
export type MarkerRule = z.infer<typeof MarkerRule>

/** Maximum zooms that are offered: the world, a continent, a country, a region, a city, a street. */
export const maxZooms = [0, 3, 4, 6, 10, 15] as const

const markers = {
  /** whose values are shown at the places */
  states: z.array(StateName).max(markerLimits.statesMax).default([]),
  /** the first that fits decides, before the limits of the states */
  operators: z.array(MarkerRule).max(markerLimits.operatorsMax).default([]),
}

/** What a map shows at its places besides their positions. */
export const Markers = z.strictObject(markers)
export type Markers = z.infer<typeof Markers>

/** As part of a query: JSON as text. */
export const AskedMarkers = jsonText(Markers).optional()

const within = <const Range extends readonly [number, number]>([min, max]: Range) => z.int().min(min).max(max)

/** How the map of a twin begins, and what it shows at the places. */
export const MapSettings = z.strictObject({
  ...markers,
  /** only twins with one of these tags; empty: all */
  tags: z.array(z.string().trim().min(1).max(100)).max(markerLimits.tagsMax).default([]),
  markerStyle: z.enum(markerStyles).default('default'),
  /** pixels within which twins become one cluster */
  distance: within(mapRanges.distance).default(50),
  /** degrees */
  pitch: within(mapRanges.pitch).default(50),
  bearing: within(mapRanges.bearing).default(0),
  /** null: everything fits */
  zoom: within(mapRanges.zoom).nullable().default(null),
  /** fitting places never zooms further; null: until they fill the map, at most to 20 */
  maxZoom: within(mapRanges.zoom).nullable().default(null),
  /** number of a layout; null: that of the person */
  style: within(mapRanges.style).nullable().default(null),
})
export type MapSettings = z.infer<typeof MapSettings>

/** The settings of a map of which nobody has changed anything. */
export const mapDefaults: MapSettings = MapSettings.parse({})

/** Those that are valid for a twin. */
export const ValidMapSettings = z.object({
  settings: MapSettings,
  /** of the twin's own settings; 0: it has none */
  version: z.int(),
  /** the twin whose settings are valid; null: nobody has set any, or the caller may not see it */
  from: z.object({ id: Id, title: z.string() }).nullable(),
  /** the caller may change them */
  editable: z.boolean(),
})
export type ValidMapSettings = z.infer<typeof ValidMapSettings>

/** A state that can be shown at places. */
export const MarkedState = z.object({
  key: z.string(),
  /** that most of them have */
  title: z.string(),
  /** how many twins have it */
  count: z.int(),
})
export type MarkedState = z.infer<typeof MarkedState>

/** The value of a state, shown at its place. */
export const MarkerValue = z.object({
  stateId: Id,
  key: z.string(),
  title: z.string(),
  unit: z.string(),
  decimals: z.int().nullable(),
  valueType: ValueType,
  lowerBound: z.number().nullable(),
  upperBound: z.number().nullable(),
  visualization: Visualization,
  value: Value,
})
export type MarkerValue = z.infer<typeof MarkerValue>

/** What a place shows, if the query asks for markers. */
export const Marker = z.object({
  /** by the operators, else by the limits of the states that are shown, else by those of all; null without limits */
  color: z.enum(markerColors).nullable(),
  /** of the operator that fits */
  icon: z.string().nullable(),
  /** in the order of the query */
  values: z.array(MarkerValue),
})
export type Marker = z.infer<typeof Marker>
