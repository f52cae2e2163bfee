import * as z from 'zod'
import { Zone } from './accounts.ts'
import { Done, Id, Json, listOf, operation, Text, Time, Title, Version } from './common.ts'
import { WidgetDefinition } from './dashboards/widgets.ts'
import { may } from './permissions.ts'
import { Series } from './series.ts'
import { Visualization } from './states.ts'
import { timeRanges } from './timeRanges.ts'

export { WidgetDefinition } from './dashboards/widgets.ts'

export const Widget = z.object({ id: Id, order: z.int(), definition: WidgetDefinition })
export type Widget = z.infer<typeof Widget>

export const DateRange = z.union([
  z.object({ preset: z.enum(timeRanges) }),
  z.object({ start: Time, end: Time }),
])

export const DashboardSettings = z.object({
  defaultDateRange: DateRange.default({ preset: '24h' }),
  customParameters: z
    .array(z.object({ name: z.string().regex(/^[A-Za-z0-9_]{1,50}$/), defaultValue: z.string().max(500) }))
    .max(20)
    .default([]),
})

export const DashboardSummary = z.object({
  id: Id,
  name: z.string(),
  description: z.string(),
  accountId: Id,
  accountName: z.string(),
  parentDtwinId: Id.nullable(),
  widgetCount: z.int(),
  updatedAt: Time,
})
export type DashboardSummary = z.infer<typeof DashboardSummary>

export const Dashboard = DashboardSummary.extend({
  settings: DashboardSettings,
  widgets: z.array(Widget),
  editable: z.boolean(),
  version: z.int(),
})
export type Dashboard = z.infer<typeof Dashboard>

const TableData = z.object({
  columns: z.array(z.object({ key: z.string(), title: z.string(), unit: z.string() })),
  rows: z.array(
    z.object({
      twinId: Id,
      title: z.string(),
      category: z.enum(['digitalTwin', 'virtualDevice']),
      cells: z.array(z.object({ stateId: Id, value: Json.nullable(), time: Time.nullable() }).nullable()),
    }),
  ),
  total: z.int(),
})

/** Twins with a position, and the state shown at each. */
const MapData = z.object({
  points: z.array(
    z.object({
      twinId: Id,
      title: z.string(),
      category: z.enum(['digitalTwin', 'virtualDevice']),
      latitude: z.number(),
      longitude: z.number(),
      /** null when no state is requested or the twin does not have it */
      state: z
        .object({
          stateId: Id,
          title: z.string(),
          unit: z.string(),
          decimals: z.int().nullable(),
          visualization: Visualization,
          value: Json.nullable(),
          time: Time.nullable(),
        })
        .nullable(),
    }),
  ),
  /** twins with a position; more than `points` when they exceed the limit of one map */
  total: z.int(),
})

/** Data of one widget. A failing widget returns its error and never affects the others. */
export const WidgetData = z.object({
  widgetId: Id.nullable(),
  series: z.array(Series).optional(),
  /** latest values of value tiles and gauges */
  values: z
    .array(
      z.object({
        stateId: Id,
        twinId: Id,
        title: z.string(),
        twinTitle: z.string(),
        category: z.enum(['digitalTwin', 'virtualDevice']),
        unit: z.string(),
        decimals: z.int().nullable(),
        value: Json.nullable(),
        time: Time.nullable(),
      }),
    )
    .optional(),
  table: TableData.optional(),
  map: MapData.optional(),
  /** interval that was used; raw for none */
  duration: z.string().optional(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
})
export type WidgetData = z.infer<typeof WidgetData>

/** Fields of a dashboard that users set. */
const DashboardFields = z.object({
  name: Title,
  description: Text.default(''),
  parentDtwinId: Id.nullable().default(null),
  settings: DashboardSettings,
})

/** Maximum widgets of one dashboard. */
export const widgetsMax = 200

export const NewDashboard = DashboardFields.extend({
  accountId: Id,
  settings: DashboardSettings.default({ defaultDateRange: { preset: '24h' }, customParameters: [] }),
  widgets: z.array(WidgetDefinition).max(widgetsMax).default([]),
})

/** A whole dashboard, as an editor saves it. */
export const DashboardContent = DashboardFields.extend({
  /** in their order; those without an id are added, stored ones that are missing are removed */
  widgets: z
    .array(z.object({ id: Id.nullable().default(null), definition: WidgetDefinition }))
    .max(widgetsMax),
})
export type DashboardContent = z.infer<typeof DashboardContent>

const read = may('Dashboards', 'read', 'manage')
const manage = may('Dashboards', 'manage')
const Range = { dateRangeStart: Time, dateRangeEnd: Time }

export const dashboards = {
  list: operation
    .meta({ rule: read, clientTimeoutMs: 25_000, reads: 'replica' })
    .route({ method: 'GET', path: '/dashboards', tags: ['dashboards'], summary: 'Dashboards' })
    .input(
      z.object({
        limit: z.int().min(1).max(1000).default(100),
        offset: z.int().min(0).default(0),
        search: z.string().max(200).optional(),
        accountIds: listOf(Id).optional(),
        favorites: z.boolean().default(false),
        orderBy: z.enum(['name', '-name', 'updatedAt', '-updatedAt']).default('name'),
      }),
    )
    .output(z.object({ items: z.array(DashboardSummary), total: z.int(), offset: z.int(), limit: z.int() })),
  get: operation
    .meta({ rule: read })
    .route({ method: 'GET', path: '/dashboards/{id}', tags: ['dashboards'], summary: 'Read a dashboard' })
    .input(z.object({ id: Id }))
    .output(Dashboard),
  /** A4, landscape. PRINT_NO_BROWSER, PRINT_FAILED. */
  pdf: operation
    .meta({ rule: read, clientTimeoutMs: 120_000 })
    .route({
      method: 'GET',
      path: '/dashboards/{id}/pdf',
      tags: ['dashboards'],
      summary: 'A dashboard as PDF',
      outputStructure: 'detailed',
    })
    .input(
      z.object({
        id: Id,
        ...Range,
        timeZone: Zone.default('Europe/Berlin'),
        language: z.enum(['de', 'en']).default('en'),
      }),
    )
    .output(z.object({ headers: z.object({ 'content-disposition': z.string() }), body: z.file() })),
  create: operation
    .meta({ rule: manage })
    .route({
      method: 'POST',
      path: '/dashboards',
      tags: ['dashboards'],
      summary: 'Create a dashboard',
      successStatus: 201,
    })
    .input(NewDashboard)
    .output(Dashboard),
  delete: operation
    .meta({ rule: manage })
    .route({
      method: 'DELETE',
      path: '/dashboards/{id}',
      tags: ['dashboards'],
      summary: 'Delete a dashboard',
    })
    .input(z.object({ id: Id }))
    .output(Done),
  /** Stores a whole dashboard, or nothing if someone else has changed it in the meantime. */
  save: operation
    .meta({ rule: manage })
    .route({
      method: 'PUT',
      path: '/dashboards/{id}',
      tags: ['dashboards'],
      summary: 'Save a dashboard with its widgets',
    })
    .input(DashboardContent.extend({ id: Id, version: Version }))
    .output(Dashboard),
  config: operation
    .meta({ rule: manage })
    .route({
      method: 'POST',
      path: '/dashboards/{id}/config',
      tags: ['dashboards'],
      summary: 'Change name and settings',
    })
    .input(DashboardFields.extend({ id: Id, version: Version }))
    .output(Dashboard),
  addWidget: operation
    .meta({ rule: manage })
    .route({
      method: 'POST',
      path: '/dashboards/{id}/widgets',
      tags: ['dashboards'],
      summary: 'Add a widget',
      successStatus: 201,
    })
    .input(
      z.object({
        id: Id,
        definition: WidgetDefinition,
        /** how many widgets are before it; absent: all */
        position: z.int().min(0).max(widgetsMax).optional(),
      }),
    )
    .output(Dashboard),
  configWidget: operation
    .meta({ rule: manage })
    .route({
      method: 'POST',
      path: '/dashboards/{id}/widgets/{widgetId}/config',
      tags: ['dashboards'],
      summary: 'Configure a widget',
    })
    .input(z.object({ id: Id, widgetId: Id, definition: WidgetDefinition }))
    .output(Dashboard),
  orderWidgets: operation
    .meta({ rule: manage })
    .route({
      method: 'POST',
      path: '/dashboards/{id}/widgets/order',
      tags: ['dashboards'],
      summary: 'Order the widgets',
    })
    .input(z.object({ id: Id, order: z.array(Id).max(widgetsMax) }))
    .output(Dashboard),
  deleteWidget: operation
    .meta({ rule: manage })
    .route({
      method: 'DELETE',
      path: '/dashboards/{id}/widgets/{widgetId}',
      tags: ['dashboards'],
      summary: 'Remove a widget',
    })
    .input(z.object({ id: Id, widgetId: Id }))
    .output(Dashboard),
  /** Data of one widget, or of all with `__all__`; at most 2 000 points per series. */
  widgetData: operation
    .meta({ rule: read, clientTimeoutMs: 25_000, reads: 'replica' })
    .route({
      method: 'GET',
      path: '/dashboards/{id}/widgets/{widgetId}/data',
      tags: ['dashboards'],
      summary: 'Data of widgets',
    })
    .input(
      z.looseObject({
        id: Id,
        widgetId: z.union([Id, z.literal('__all__')]),
        ...Range,
        timeZone: z.string().max(64).optional(),
      }),
    )
    .output(z.object({ widgets: z.array(WidgetData) })),
  /** Data for a widget that has not been stored yet. */
  dataByDefinition: operation
    .meta({ rule: read, clientTimeoutMs: 25_000, reads: 'replica', look: 'asks' })
    .route({
      method: 'POST',
      path: '/dashboards/{id}/widgets/__by_definition__/data',
      tags: ['dashboards'],
      summary: 'Data of a draft widget',
    })
    .input(
      z.object({
        id: Id,
        widgetDefinition: WidgetDefinition,
        dateRange: z.object({ start: Time, end: Time }),
        timeZone: z.string().max(64).optional(),
        customParameters: z.record(z.string(), z.string()).optional(),
      }),
    )
    .output(WidgetData),
}
