import * as z from 'zod'
import { Done, Id, limits, listOf, operation, Paging, pageOf, Time, Title } from './common.ts'
import { DashboardSettings, Widget, WidgetData } from './dashboards.ts'
import { FileReply } from './files.ts'
import { Floor } from './floors.ts'
import { checkBounds, GeoBounds, GeoClusterId, MapPart } from './geo.ts'
import { AskedMarkers, MapSettings } from './mapSettings.ts'
import { Surroundings } from './maps.ts'
import type { AccessRule } from './permissions.ts'
import { AggregationDuration, AggregationMethod, Series, Value } from './series.ts'
import { levels, ValueType, Visualization } from './states.ts'
import { TwinArea, TwinCluster, TwinPlace, TwinType } from './twins.ts'

/** Maximum web sites that may embed a shared page. */
export const shareOriginsMax = 20
/** Minimum characters of the password of a link. */
export const sharePasswordMin = 8

/** A web site that may embed the page in a frame: scheme and host, e.g. `https://www.example.org`. */
export const ShareOrigin = z
  .string()
  .max(300)
  .transform((text) => originOf(text) ?? text)
  .refine((text) => originOf(text) === text, 'notAnOrigin')

/** The origin of a web address without path, query and password; undefined if it is not one. */
function originOf(text: string): string | undefined {
  const url = URL.parse(text.trim())
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return undefined
  const isBare = url.pathname === '/' && url.search === '' && url.hash === '' && url.username === ''
  // Only what can be written into a header as it is.
  return isBare && /^https?:\/\/[a-z0-9.-]+(:\d+)?$/.test(url.origin) ? url.origin : undefined
}

export const sharedKinds = ['twin', 'dashboard'] as const

/** A public link to a twin with everything below it, or to a dashboard: an API key that only public pages accept. */
export const Share = z.object({
  /** the API key: deleting it ends the link */
  keyId: Id,
  kind: z.enum(sharedKinds),
  /** the twin or dashboard */
  objectId: Id,
  title: z.string(),
  /** the key in the address of the page */
  token: z.string(),
  validUntil: Time.nullable(),
  hasPassword: z.boolean(),
  /** web sites that may embed the page */
  origins: z.array(z.string()),
  createdBy: z.string(),
  createdAt: Time,
  lastUsedAt: Time.nullable(),
})
export type Share = z.infer<typeof Share>

const ShareSettings = {
  /** must be in the future, else `END_IN_THE_PAST` */
  validUntil: Time.nullable().default(null),
  origins: z.array(ShareOrigin).max(shareOriginsMax).default([]),
}
const Password = z.string().min(sharePasswordMin).max(200)

/** Publishing needs its own right besides that to read the object. */
const shareTwins = {
  any: [
    {
      all: [
        { subject: 'PublicSharing', action: 'manage' },
        { subject: 'DigitalTwin', action: 'read' },
      ],
    },
  ],
} as const satisfies AccessRule
const shareDashboards = {
  any: [
    {
      all: [
        { subject: 'PublicSharing', action: 'manage' },
        { subject: 'Dashboards', action: 'read' },
      ],
    },
  ],
} as const satisfies AccessRule
const readTwins = { any: [{ subject: 'DigitalTwin', action: 'read' }] } as const satisfies AccessRule
const readDashboards = { any: [{ subject: 'Dashboards', action: 'read' }] } as const satisfies AccessRule

/** Links to one kind of object. */
function links(noun: 'twin' | 'dashboard', path: `/${string}`, read: AccessRule, share: AccessRule) {
  const tags = ['sharing']
  return {
    /** Whether the caller may share it; `module`: public sharing is off in its account. */
    canShare: operation
      .meta({ rule: read })
      .route({ method: 'GET', path: `${path}/can-share`, tags, summary: `May a ${noun} be shared` })
      .input(z.object({ id: Id }))
      .output(z.object({ canShare: z.boolean(), reason: z.enum(['module', 'permission']).nullable() })),
    isShared: operation
      .meta({ rule: read })
      .route({ method: 'GET', path: `${path}/is-shared`, tags, summary: `Is a ${noun} shared` })
      .input(z.object({ id: Id }))
      .output(z.object({ shared: z.boolean() })),
    /** The link, with its key. */
    findExistingKey: operation
      .meta({ rule: share, look: 'closed' })
      .route({ method: 'GET', path: `${path}/find-existing-key`, tags, summary: `Link to a ${noun}` })
      .input(z.object({ id: Id }))
      .output(z.object({ share: Share.nullable() })),
    /** An object has at most one link (SHARE_DUPLICATE). */
    createKey: operation
      .meta({ rule: share })
      .route({
        method: 'POST',
        path: `${path}/create-key`,
        tags,
        summary: `Create a link to a ${noun}`,
        successStatus: 201,
      })
      .input(z.object({ id: Id, ...ShareSettings, password: Password.nullable().default(null) }))
      .output(Share),
    updateKey: operation
      .meta({ rule: share })
      .route({ method: 'PUT', path: `${path}/key`, tags, summary: `Change the link to a ${noun}` })
      .input(
        z.object({
          id: Id,
          ...ShareSettings,
          /** null: without one; absent: unchanged */
          password: Password.nullable().optional(),
        }),
      )
      .output(Share),
    /** Ends the link at once; it cannot be brought back. */
    deleteKey: operation
      .meta({ rule: share })
      .route({ method: 'DELETE', path: `${path}/delete-key`, tags, summary: `End the link to a ${noun}` })
      .input(z.object({ id: Id }))
      .output(Done),
  }
}

export const sharing = links('twin', '/digitaltwin/{id}/sharing', readTwins, shareTwins)
export const dashboardSharing = links(
  'dashboard',
  '/dashboards/{id}/sharing',
  readDashboards,
  shareDashboards,
)

/** What visitors see of a twin: no contacts, key values, reference ids, or anything above the shared twin. */
export const SharedTwin = z.object({
  id: Id,
  title: z.string(),
  type: TwinType,
  icon: z.string().nullable(),
  latitude: z.number().nullable(),
  longitude: z.number().nullable(),
  /** null for the shared twin itself */
  parentId: Id.nullable(),
  childCount: z.int(),
  stateCount: z.int(),
  level: z.enum(levels).nullable(),
})
export type SharedTwin = z.infer<typeof SharedTwin>

export const SharedState = z.object({
  id: Id,
  twinId: Id,
  key: z.string(),
  title: z.string(),
  unit: z.string(),
  icon: z.string().nullable(),
  valueType: ValueType,
  decimals: z.int().nullable(),
  lowerBound: z.number().nullable(),
  upperBound: z.number().nullable(),
  visualization: Visualization,
  value: Value.nullable(),
  time: Time.nullable(),
})
export type SharedState = z.infer<typeof SharedState>

/** The key of a link, from the address of the page. */
const Key = z.string().regex(/^lss_[\w-]{43}$/)
const tags = ['public']
const MapSelection = {
  key: Key,
  twinId: Id,
  excludeZones: z.boolean().default(false),
  tags: listOf(z.string().max(100)).optional(),
}

/**
 * Public pages. Calls of a link with a password carry `x-share-access` from `unlock`, else they are refused with
 * SHARE_PASSWORD_REQUIRED. Links that are unknown, ended or expired all answer SHARE_NOT_FOUND.
 */
export const shared = {
  /** The only call about a locked link that answers; then without title and object. */
  open: operation
    .meta({ rule: 'public' })
    .route({ method: 'GET', path: '/public/{key}', tags, summary: 'What a link shows' })
    .input(z.object({ key: Key }))
    .output(
      z.object({
        kind: z.enum(sharedKinds),
        locked: z.boolean(),
        objectId: Id.nullable(),
        title: Title.nullable(),
        timeZone: z.string(),
      }),
    ),
  /** Wrong passwords are counted by address and by link. */
  unlock: operation
    .meta({ rule: 'public', guessed: true })
    .route({ method: 'POST', path: '/public/{key}/unlock', tags, summary: 'Open a link with its password' })
    .input(z.object({ key: Key, password: z.string().max(200) }))
    .output(z.object({ access: z.string(), until: Time })),
  twin: operation
    .meta({ rule: 'public' })
    .route({ method: 'GET', path: '/public/{key}/twins/{id}', tags, summary: 'A shared twin' })
    .input(z.object({ key: Key, id: Id }))
    .output(SharedTwin),
  children: operation
    .meta({ rule: 'public' })
    .route({
      method: 'GET',
      path: '/public/{key}/twins/{id}/children',
      tags,
      summary: 'Shared twins below one',
    })
    .input(z.object({ ...Paging, key: Key, id: Id }))
    .output(pageOf(SharedTwin)),
  states: operation
    .meta({ rule: 'public' })
    .route({
      method: 'GET',
      path: '/public/{key}/twins/{id}/states',
      tags,
      summary: 'States of a shared twin',
    })
    .input(z.object({ key: Key, id: Id }))
    .output(z.object({ items: z.array(SharedState) })),
  /** Values of states by interval, at most 2 000 points a series. */
  series: operation
    .meta({ rule: 'public', clientTimeoutMs: 25_000, look: 'asks' })
    .route({ method: 'POST', path: '/public/{key}/series', tags, summary: 'Values of shared states' })
    .input(
      z.object({
        key: Key,
        stateIds: z.array(Id).min(1).max(50),
        startDate: Time,
        endDate: Time,
        method: AggregationMethod.default('avg'),
        /** absent: as the range requires */
        duration: AggregationDuration.optional(),
      }),
    )
    .output(z.object({ duration: z.string(), series: z.array(Series) })),
  /** The map settings that are valid for a shared twin; those of a twin above it, too. */
  mapSettings: operation
    .meta({ rule: 'public' })
    .route({
      method: 'GET',
      path: '/public/{key}/map/{twinId}/settings',
      tags,
      summary: 'Settings of a shared map',
    })
    .input(z.object({ key: Key, twinId: Id }))
    .output(z.object({ settings: MapSettings })),
  geoMetaInfos: operation
    .meta({ rule: 'public', clientTimeoutMs: 25_000 })
    .route({
      method: 'GET',
      path: '/public/{key}/map/{twinId}/geo-meta-infos',
      tags,
      summary: 'Extent of shared twins',
    })
    .input(z.object(MapSelection))
    .output(z.object({ total: z.int(), placed: z.int(), bounds: GeoBounds.nullable() })),
  geoClusters: operation
    .meta({ rule: 'public', clientTimeoutMs: 25_000 })
    .route({
      method: 'GET',
      path: '/public/{key}/map/{twinId}/geo-clusters',
      tags,
      summary: 'Shared twins on a map',
    })
    .input(
      z
        .object({
          ...MapSelection,
          ...MapPart,
          hideStatelessPolygons: z.boolean().default(false),
          markers: AskedMarkers,
        })
        .superRefine(checkBounds),
    )
    .output(
      z.object({
        items: z.array(TwinCluster),
        more: z.boolean(),
        areas: z.array(TwinArea),
        moreAreas: z.boolean(),
      }),
    ),
  geoClusterBreakOpen: operation
    .meta({ rule: 'public', clientTimeoutMs: 25_000 })
    .route({
      method: 'GET',
      path: '/public/{key}/map/{twinId}/geo-clusters/{id}',
      tags,
      summary: 'Shared twins of a cluster',
    })
    .input(z.object({ ...Paging, ...MapSelection, id: GeoClusterId }))
    .output(pageOf(TwinPlace).extend({ bounds: GeoBounds.nullable() })),
  /** The floors of a shared twin, as far as they are below what the link shows. */
  floors: operation
    .meta({ rule: 'public' })
    .route({ method: 'GET', path: '/public/{key}/map/{twinId}/floors', tags, summary: 'Shared floors' })
    .input(z.object({ key: Key, twinId: Id }))
    .output(z.object({ items: z.array(Floor), more: z.boolean() })),
  /** The picture of a shared floor plan as a download. Returns 304 if `if-none-match` contains its `etag`. */
  floorPlan: operation
    .meta({ rule: 'public', clientTimeoutMs: 50_000 })
    .route({
      method: 'GET',
      path: '/public/{key}/map/{twinId}/plan',
      tags,
      summary: 'Picture of a shared floor plan',
      outputStructure: 'detailed',
    })
    .input(z.object({ key: Key, twinId: Id }))
    .output(FileReply),
  /** Local map and tiles of the installation. Its online styles may contain keys and are not for visitors. */
  localMap: operation
    .meta({ rule: 'public' })
    .route({ method: 'GET', path: '/public/{key}/local-map', tags, summary: 'Local map for a public page' })
    .input(z.object({ key: Key }))
    .output(Surroundings),
  dashboard: operation
    .meta({ rule: 'public' })
    .route({ method: 'GET', path: '/public/{key}/dashboard', tags, summary: 'A shared dashboard' })
    .input(z.object({ key: Key }))
    .output(
      z.object({
        id: Id,
        name: z.string(),
        description: z.string().max(limits.textLengthMax),
        settings: DashboardSettings,
        widgets: z.array(Widget),
      }),
    ),
  dashboardData: operation
    .meta({ rule: 'public', clientTimeoutMs: 25_000 })
    .route({
      method: 'GET',
      path: '/public/{key}/dashboard/data',
      tags,
      summary: 'Data of a shared dashboard',
    })
    .input(
      z.object({
        key: Key,
        dateRangeStart: Time,
        dateRangeEnd: Time,
        timeZone: z.string().max(64).optional(),
      }),
    )
    .output(z.object({ widgets: z.array(WidgetData) })),
}
