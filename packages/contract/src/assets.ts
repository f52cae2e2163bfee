import * as z from 'zod'
import {
  Id,
  ListFile,
  ListFileInput,
  listOf,
  operation,
  orderBy,
  Paging,
  pageOf,
  Time,
  Title,
  Version,
} from './common.ts'
import { checkBounds, GeoBounds, latitude, longitude, MapPart } from './geo.ts'
import { GeoHistory, GeoHistoryInput } from './geoHistory.ts'
import { StoredPolygon } from './geoPolygon.ts'
import { may } from './permissions.ts'

export const assetLimits = {
  /** assets shown one by one on a map; with more in view they are grouped */
  shownMax: 100,
  /** zones drawn on a map */
  zonesShownMax: 200,
  /** characters of a category and of an inventory number */
  wordMax: 80,
  borrowerMax: 120,
  /** rows of an import */
  rowsMax: 500,
  /** rows of a file */
  fileRowsMax: 20_000,
  /** days of the longest period of the statistics */
  daysMax: 366,
  /** categories and zones to choose from */
  choicesMax: 500,
} as const

/** Plain text in one line. What turns the direction of writing could make what is beside it say something else. */
const Word = z
  .string()
  .trim()
  .max(assetLimits.wordMax)
  .regex(/^[^\p{Bidi_Control}\p{Cc}]*$/u)

const Named = z.object({ id: Id, title: z.string() })

/** Where an asset is: `home` in its zone, `away` outside of it, `lent`, `loose`: it has no zone of its own. */
export const assetPlaces = ['home', 'away', 'lent', 'loose'] as const

/** A twin of type `trackable`, with what is known about where it is. */
export const Asset = z.object({
  /** of the twin */
  id: Id,
  version: Version,
  title: z.string(),
  /** empty: that of its type */
  icon: z.string(),
  accountId: Id,
  accountName: z.string(),
  category: z.string(),
  /** unique in the account; empty: none */
  inventoryNumber: z.string(),
  /** the zone it belongs to; null: none, or one the caller may not see */
  homeZone: Named.nullable(),
  /** the zone it was last seen in; null: in none */
  zone: Named.nullable(),
  /** since when it is in the zone, or outside of all */
  zoneSince: Time.nullable(),
  /** of its last position; null: it never had one */
  seenAt: Time.nullable(),
  position: z.object({ latitude, longitude }).nullable(),
  place: z.enum(assetPlaces),
  /** the device that reports where it is; `deviceId` and `title` null: one the caller may not see */
  tracker: z
    .object({
      deviceId: Id.nullable(),
      title: z.string().nullable(),
      since: Time,
      /** its last packet */
      heardAt: Time.nullable(),
    })
    .nullable(),
  loan: z.object({ borrower: z.string(), since: Time, dueAt: z.iso.date().nullable() }).nullable(),
  /** whether the caller may change it */
  editable: z.boolean(),
})
export type Asset = z.infer<typeof Asset>

/** Time that an asset was in a zone; `until` null: it still is. */
export const AssetStay = z.object({
  id: Id,
  /** null: the zone was deleted, or the caller may not see it */
  zoneId: Id.nullable(),
  /** as it was called then; null: the caller may not see it */
  zone: z.string().nullable(),
  from: Time,
  until: Time.nullable(),
})
export type AssetStay = z.infer<typeof AssetStay>

/** A device that reported where an asset is; `until` null: it still does. Names are null for those who may not see them. */
export const AssetTracker = z.object({
  id: Id,
  deviceId: Id.nullable(),
  device: z.string().nullable(),
  from: Time,
  until: Time.nullable(),
  boundBy: z.string().nullable(),
  unboundBy: z.string().nullable(),
})
export type AssetTracker = z.infer<typeof AssetTracker>

export const AssetLoan = z.object({
  id: Id,
  borrower: z.string(),
  from: Time,
  dueAt: z.iso.date().nullable(),
  until: Time.nullable(),
})
export type AssetLoan = z.infer<typeof AssetLoan>

/** A zone with the assets in it. */
export const AssetZone = Named.extend({
  accountId: Id,
  accountName: z.string(),
  /** without one, assets cannot be found in it */
  hasPolygon: z.boolean(),
  /** in it now */
  assets: z.int(),
  /** of these, belong to another zone */
  strangers: z.int(),
  /** belong to it */
  expected: z.int(),
  /** of these, neither in it nor lent */
  missing: z.int(),
  /** of the period: begun in it or before */
  stays: z.int(),
  /** median time of those that have ended, in seconds; null: none has */
  medianSeconds: z.number().nullable(),
  /** part of the period during which at least one asset was in it, 0 to 1 */
  occupied: z.number(),
})
export type AssetZone = z.infer<typeof AssetZone>

const read = may('IsAssetMgmt', 'read', 'manage')
const manage = may('IsAssetMgmt', 'manage')

const filters = {
  search: z.string().max(200).optional(),
  accountIds: listOf(Id).optional(),
  categories: listOf(z.string().max(assetLimits.wordMax)).optional(),
  /** they are in one of these now */
  zoneIds: listOf(Id).optional(),
  /** they belong to one of these */
  homeZoneIds: listOf(Id).optional(),
  places: listOf(z.enum(assetPlaces)).optional(),
  /** in a zone they do not belong to */
  stranger: z.boolean().optional(),
  /** lent, and the day of return is over: before `today` */
  overdue: z.boolean().optional(),
  /** the caller's day, for `overdue`; default: that of UTC */
  today: z.iso.date().optional(),
  /** whether a device reports where they are */
  tracked: z.boolean().optional(),
  /** only favourites of the caller */
  favorites: z.boolean().optional(),
}

const order = orderBy([
  'title',
  'category',
  'inventoryNumber',
  'zone',
  'zoneSince',
  'seenAt',
  'dueAt',
]).default('title')

const route = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, summary: string) =>
  ({ method, path: `/is-asset-mgmt${path}`, tags: ['assets'], summary }) as const

/** A line of an import. */
export const AssetRow = z.object({
  title: Title,
  category: Word.default(''),
  inventoryNumber: Word.default(''),
  /** title of a zone of the account */
  homeZone: z.string().trim().max(200).default(''),
  /** external id of a device of the account */
  tracker: z.string().trim().max(200).default(''),
})
export type AssetRow = z.infer<typeof AssetRow>

/** What is wrong with a line of an import: its number from 0, its field, and why. */
export const AssetRowIssue = z.object({
  row: z.int(),
  field: z.enum(['inventoryNumber', 'homeZone', 'tracker']),
  why: z.enum(['unknown', 'ambiguous', 'taken', 'twice']),
})
export type AssetRowIssue = z.infer<typeof AssetRowIssue>

/** Things that move: visible in the scope of their twin. */
export const isAssetMgmt = {
  fetch: operation
    .meta({ rule: read })
    .route(route('GET', '/fetch', 'Assets'))
    .input(z.object({ ...Paging, ...filters, order_by: order }))
    .output(pageOf(Asset)),
  /** What lists can be filtered by: categories in use with their assets, and zones; at most `assetLimits.choicesMax` each. */
  categoriesZones: operation
    .meta({ rule: read })
    .route(route('GET', '/categories-zones', 'Categories and zones of assets'))
    .input(z.object({ accountIds: filters.accountIds }))
    .output(
      z.object({
        categories: z.array(z.object({ name: z.string(), assets: z.int() })),
        zones: z.array(Named.extend({ accountId: Id })),
      }),
    ),
  /** Assets in view: one by one up to `assetLimits.shownMax`, otherwise grouped; with the zones there. */
  geo: operation
    .meta({ rule: read, clientTimeoutMs: 25_000 })
    .route(route('GET', '/geo', 'Assets on a map'))
    .input(z.object({ ...MapPart, ...filters }).superRefine(checkBounds))
    .output(
      z.object({
        assets: z.array(Asset),
        groups: z.array(z.object({ id: z.string(), count: z.int(), latitude, longitude, bounds: GeoBounds })),
        zones: z.array(Named.extend({ polygon: StoredPolygon, assets: z.int() })),
        /** in view */
        count: z.int(),
        /** that match, with a position or not */
        total: z.int(),
        /** of all that match, wherever they are; null: none has a position */
        bounds: GeoBounds.nullable(),
      }),
    ),
  /** As a file, at most `assetLimits.fileRowsMax`. */
  exportFile: operation
    .meta({ rule: read, clientTimeoutMs: 60_000, reads: 'replica' })
    .route({ ...route('GET', '/file', 'Assets as a file'), outputStructure: 'detailed' })
    .input(z.object({ ...filters, order_by: order, ...ListFileInput }))
    .output(ListFile),
  /** Zones with their assets now and in the last days, by title. */
  zones: operation
    .meta({ rule: read, clientTimeoutMs: 60_000, reads: 'replica' })
    .route(route('GET', '/zones', 'Zones of assets'))
    .input(
      z.object({
        ...Paging,
        search: filters.search,
        accountIds: filters.accountIds,
        days: z.coerce.number().pipe(z.int().min(1).max(assetLimits.daysMax)).default(7),
      }),
    )
    .output(pageOf(AssetZone)),
  /** Devices that could report where an asset is: visible ones that no asset has. By title. */
  devices: operation
    .meta({ rule: manage })
    .route(route('GET', '/devices', 'Devices without an asset'))
    .input(z.object({ ...Paging, search: filters.search }))
    .output(pageOf(Named.extend({ externalId: z.string() }))),
  /**
   * Makes assets below a twin, all or none. The caller also needs the right to make twins there.
   * @throws DTWIN_NOT_FOUND, NO_PERMISSION, ASSET_ROWS_INVALID with `rows`: `AssetRowIssue[]`
   */
  import: operation
    .meta({ rule: manage, clientTimeoutMs: 60_000 })
    .route({ ...route('POST', '/import', 'Make assets'), successStatus: 201 })
    .input(z.object({ parentId: Id, rows: z.array(AssetRow).min(1).max(assetLimits.rowsMax) }))
    .output(z.object({ ids: z.array(Id) })),
  /** @throws ASSET_NOT_FOUND */
  get: operation
    .meta({ rule: read })
    .route(route('GET', '/{id}', 'An asset'))
    .input(z.object({ id: Id }))
    .output(Asset),
  /** @throws ASSET_NOT_FOUND, NO_PERMISSION, VERSION_CONFLICT, ASSET_NUMBER_TAKEN, ASSET_ZONE_NOT_FOUND */
  update: operation
    .meta({ rule: manage })
    .route(route('PUT', '/{id}', 'Change an asset'))
    .input(
      z.object({
        id: Id,
        version: Version,
        category: Word,
        inventoryNumber: Word,
        homeZoneId: Id.nullable(),
      }),
    )
    .output(Asset),
  /**
   * From now on the device reports where the asset is.
   * @throws ASSET_NOT_FOUND, NO_PERMISSION, VDEVICE_NOT_FOUND, ASSET_TRACKER_TAKEN
   */
  bindTracker: operation
    .meta({ rule: manage })
    .route(route('PUT', '/{id}/tracker', 'Bind a tracker'))
    .input(z.object({ id: Id, deviceId: Id }))
    .output(Asset),
  /** @throws ASSET_NOT_FOUND, NO_PERMISSION, ASSET_NOT_TRACKED */
  unbindTracker: operation
    .meta({ rule: manage })
    .route(route('DELETE', '/{id}/tracker', 'Unbind the tracker'))
    .input(z.object({ id: Id }))
    .output(Asset),
  /** Newest first. @throws ASSET_NOT_FOUND */
  trackers: operation
    .meta({ rule: read })
    .route(route('GET', '/{id}/trackers', 'Trackers an asset had'))
    .input(z.object({ id: Id, ...Paging }))
    .output(pageOf(AssetTracker)),
  /** Zones it was in, newest first. @throws ASSET_NOT_FOUND */
  stays: operation
    .meta({ rule: read })
    .route(route('GET', '/{id}/stays', 'Zones an asset was in'))
    .input(z.object({ id: Id, ...Paging }))
    .output(pageOf(AssetStay)),
  /** How it moved, as its trackers and its own values have reported. @throws ASSET_NOT_FOUND */
  track: operation
    .meta({ rule: read, clientTimeoutMs: 25_000 })
    .route(route('GET', '/{id}/track', 'Movement of an asset'))
    .input(GeoHistoryInput)
    .output(GeoHistory),
  /** @throws ASSET_NOT_FOUND, NO_PERMISSION, ASSET_LENT */
  lend: operation
    .meta({ rule: manage })
    .route(route('POST', '/{id}/loan', 'Lend an asset'))
    .input(
      z.object({
        id: Id,
        borrower: z
          .string()
          .trim()
          .min(1)
          .max(assetLimits.borrowerMax)
          .regex(/^[^\p{Bidi_Control}\p{Cc}]*$/u),
        dueAt: z.iso.date().nullable(),
      }),
    )
    .output(Asset),
  /** It is back. @throws ASSET_NOT_FOUND, NO_PERMISSION, ASSET_NOT_LENT */
  giveBack: operation
    .meta({ rule: manage })
    .route(route('DELETE', '/{id}/loan', 'End a loan'))
    .input(z.object({ id: Id }))
    .output(Asset),
  /** Newest first. @throws ASSET_NOT_FOUND */
  loans: operation
    .meta({ rule: read })
    .route(route('GET', '/{id}/loans', 'Loans of an asset'))
    .input(z.object({ id: Id, ...Paging }))
    .output(pageOf(AssetLoan)),
} as const
