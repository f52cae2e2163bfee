import * as z from 'zod'
import {
  Done,
  Id,
  jsonText,
  KeyValues,
  listOf,
  operation,
  orderBy,
  Paging,
  pageOf,
  Tags,
  Text,
  Time,
  Title,
  Version,
} from './common.ts'
import { checkBounds, GeoBounds, GeoClusterId, latitude, longitude, MapPart } from './geo.ts'
import { GeoHistory, GeoHistoryInput } from './geoHistory.ts'
import { GeoPolygon, lacksPolygon, StoredPolygon } from './geoPolygon.ts'
import { AskedMarkers, MapSettings, MarkedState, Marker, ValidMapSettings } from './mapSettings.ts'
import { type AccessRule, may } from './permissions.ts'
import { levels, State } from './states.ts'
import { twinTypes } from './twinTypes.ts'

export { twinTypes } from './twinTypes.ts'

export const TwinType = z.enum(twinTypes)
export type TwinType = z.infer<typeof TwinType>

/** Reference id: the address under which data routing reaches the twin. */
export const ReferenceId = z.object({
  name: z.string().trim().min(1).max(100),
  value: z.string().trim().min(1).max(200),
})
export type ReferenceId = z.infer<typeof ReferenceId>

/** Maximum number of contacts of a twin. */
export const contactsMax = 20

/** Whom to call about a twin, e.g. its caretaker; any person, not only users. */
export const Contact = z.object({
  name: z.string().trim().min(1).max(200),
  /** e.g. `Caretaker` */
  role: z.string().trim().max(100).default(''),
  /** as people write it */
  phone: z
    .string()
    .trim()
    .max(50)
    .regex(/^[+\d\s()/.-]*$/)
    .default(''),
  email: z.union([z.literal(''), z.email({ pattern: z.regexes.html5Email }).max(200)]).default(''),
})
export type Contact = z.infer<typeof Contact>

/** Fields common to twins and virtual devices. */
export const ObjectFields = {
  title: Title,
  description: Text.default(''),
  tags: Tags.default([]),
  zones: Tags.default([]),
  icon: z.string().max(50).nullable().default(null),
  address: z.string().max(500).default(''),
  latitude: z.number().min(-90).max(90).nullable().default(null),
  longitude: z.number().min(-180).max(180).nullable().default(null),
  floorNumber: z.int().min(-100).max(300).nullable().default(null),
  /** name of the floor, e.g. `Mezzanine` */
  floorName: z.string().trim().max(100).default(''),
  keyValues: KeyValues.default({}),
  referenceIds: z.array(ReferenceId).max(50).default([]),
}

/**
 * New position of a twin or device; absent fields stay unchanged, so that a form does not write back an old
 * position.
 */
export const ChangedPosition = {
  latitude: ObjectFields.latitude.unwrap().optional(),
  longitude: ObjectFields.longitude.unwrap().optional(),
}

export const TwinSummary = z.object({
  id: Id,
  title: z.string(),
  type: TwinType,
  icon: z.string().nullable(),
  accountId: Id,
  accountName: z.string(),
  scopeId: Id,
  parentId: Id.nullable(),
  parentTitle: z.string().nullable(),
  tags: z.array(z.string()),
  zones: z.array(z.string()),
  latitude: z.number().nullable(),
  longitude: z.number().nullable(),
  disabled: z.boolean(),
  /** it has a permission scope of its own, on which roles can be given */
  hasOwnScope: z.boolean(),
  childCount: z.int(),
  stateCount: z.int(),
  /** the worst level of its states; null if none has limits and a value, or the caller may not read them */
  level: z.enum(levels).nullable(),
  updatedAt: Time,
})
export type TwinSummary = z.infer<typeof TwinSummary>

export const Twin = TwinSummary.extend({
  description: z.string(),
  address: z.string(),
  floorNumber: z.int().nullable(),
  floorName: z.string(),
  geoPolygon: StoredPolygon.nullable(),
  contacts: z.array(Contact),
  keyValues: KeyValues,
  referenceIds: z.array(ReferenceId),
  /** from the root down to the parent, as far as the caller may see */
  ancestors: z.array(z.object({ id: Id, title: z.string(), type: TwinType })),
  /** whether the caller may change this twin */
  editable: z.boolean(),
  createdAt: Time,
  version: z.int(),
})
export type Twin = z.infer<typeof Twin>

/** A change that can be undone until then. */
export const TwinUndo = z.object({ id: z.uuid(), until: Time })
export type TwinUndo = z.infer<typeof TwinUndo>

/** A twin after a change; `undo` is set if it was moved, disabled or enabled. */
const ChangedTwin = Twin.extend({ undo: TwinUndo.nullable() })

/** Who gets roles on a twin's own scope: users, API keys, and users signing in through a provider. */
export const scopeHolders = ['scopeUser', 'scopeKey', 'scopeSignOn'] as const

/** Reply of the dependency calls; `blocking` says whether deletion is refused. */
export const Dependencies = z.object({
  blocking: z.boolean(),
  items: z.array(
    z.object({
      kind: z.enum(['twin', 'virtualDevice', 'aggregate', 'dashboard', 'rule', ...scopeHolders]),
      id: Id,
      title: z.string(),
      blocking: z.boolean(),
      /** the twin or device an aggregate or rule belongs to, the account of a user, key or provider */
      owner: z.object({ kind: z.enum(['twin', 'virtualDevice', 'account']), id: Id }).nullable(),
    }),
  ),
  /** there are more than the 100 that are listed */
  more: z.boolean(),
})

/** Maximum polygons of an answer of the map. */
export const mapAreasMax = 500

/** A twin on the map. */
export const TwinPlace = z.object({
  id: Id,
  title: z.string(),
  type: TwinType,
  icon: z.string().nullable(),
  latitude,
  longitude,
  level: TwinSummary.shape.level,
})
export type TwinPlace = z.infer<typeof TwinPlace>

export const TwinCluster = z.object({
  id: GeoClusterId,
  /** centre of its twins */
  latitude,
  longitude,
  count: z.int(),
  /** the worst level of its twins */
  level: TwinSummary.shape.level,
  /** of the topmost of its twins */
  title: z.string(),
  /** set if the cluster has only one twin */
  twin: TwinPlace.nullable(),
  /** null unless asked for; a cluster has only the colour */
  marker: Marker.nullable(),
})
export type TwinCluster = z.infer<typeof TwinCluster>

/** The polygon of a twin on the map. */
export const TwinArea = z.object({
  twinId: Id,
  title: z.string(),
  type: TwinType,
  level: TwinSummary.shape.level,
  polygon: StoredPolygon,
  /** the twin has no position, so it is in no cluster */
  isAlone: z.boolean(),
  /** null unless asked for */
  marker: Marker.nullable(),
})
export type TwinArea = z.infer<typeof TwinArea>

/** Which twins a map shows. */
const MapSelection = {
  /** this twin and everything below it; default: all */
  twinId: Id.optional(),
  search: z.string().max(200).optional(),
  accountIds: listOf(Id).optional(),
  types: listOf(TwinType).optional(),
  tags: listOf(z.string().max(100)).optional(),
  /** leaves out twins of the type zone */
  excludeZones: z.boolean().default(false),
}

/** Which twins are meant, as in the list. */
export const TwinFilters = z.strictObject({
  search: z.string().max(200).optional(),
  accountIds: listOf(Id).optional(),
  types: listOf(TwinType).optional(),
  tags: listOf(z.string().max(100)).optional(),
  zones: listOf(z.string().max(100)).optional(),
  /** key or key=value */
  keyValue: z.string().max(300).optional(),
  /** only direct children of this twin */
  parentId: Id.optional(),
  disabled: z.boolean().optional(),
})
export type TwinFilters = z.infer<typeof TwinFilters>

const twinOrder = orderBy(['title', 'type', 'updatedAt', 'id'])

/** Parameters of the list with the names of the specification. */
const specifiedSelection = {
  /** titles and ids, all of which have to match */
  search_items: z
    .preprocess(
      (value) => (value === undefined || Array.isArray(value) ? value : [value]),
      z.array(z.string().max(200)).max(10),
    )
    .optional(),
  /** a set of filters as JSON; as text in a URL */
  filters: jsonText(TwinFilters).optional(),
  /** instead of `orderBy` */
  order_by: twinOrder.optional(),
  /** the caller's own id; others are refused */
  user_id: Id.optional(),
  /** only twins of these scopes and the scopes below them */
  scope_ids: listOf(Id).optional(),
  /** `no_descendents`: of `scope_ids` themselves, not below */
  options: listOf(z.enum(['no_descendents'])).optional(),
  include_identifiers: z.boolean().default(false),
  include_properties: z.boolean().default(false),
}

const ListedTwin = TwinSummary.extend({
  /** with `include_identifiers` */
  referenceIds: z.array(ReferenceId).optional(),
  /** with `include_properties` */
  keyValues: KeyValues.optional(),
  description: z.string().optional(),
  address: z.string().optional(),
})

/** Who has roles there: users, API keys, sign-in providers. Only those the caller may know about are named. */
const RoleHolders = z.object({
  items: z.array(z.object({ kind: z.enum(['user', 'apiKey', 'signOn']), id: Id, title: z.string() })),
  total: z.int(),
})

export const MovePreview = z.object({
  /** that move, with the twin itself */
  twins: z.int(),
  devices: z.int(),
  /** who has roles there only afterwards */
  gains: RoleHolders,
  /** who has roles there only until then */
  loses: RoleHolders,
  /** who has others afterwards */
  changes: RoleHolders,
})
export type MovePreview = z.infer<typeof MovePreview>

const TwinInput = {
  ...ObjectFields,
  type: TwinType.default('default'),
  geoPolygon: GeoPolygon.nullable().default(null),
  contacts: z.array(Contact).max(contactsMax).default([]),
}

const isWhole = (input: { type: TwinType; geoPolygon: GeoPolygon | null }) => !lacksPolygon(input)
const lacking = { message: 'zoneNeedsPolygon', path: ['geoPolygon'] }

const read = may('DigitalTwin', 'read')
const listRule = may('DigitalTwin', 'read', 'list')
const write = may('DigitalTwin', 'write')
/** A scope decides who can be given which rights. */
const changeScope = {
  any: [
    {
      all: [
        { subject: 'DigitalTwin', action: 'write' },
        { subject: 'UserManagement', action: 'manage' },
      ],
    },
  ],
} as const satisfies AccessRule

export const digitaltwin = {
  /**
   * Twins of the caller's scopes. Search and filters match substrings, or the whole text when it is in double
   * quotes. A filter given both directly and in `filters` uses the direct value. `include_…` adds reference ids and
   * properties to the rows of twins the caller may read.
   */
  list: operation
    .meta({ rule: listRule, reads: 'replica' })
    .route({ method: 'GET', path: '/digitaltwin', tags: ['twins'], summary: 'Digital twins' })
    .input(
      z.object({
        ...Paging,
        ...TwinFilters.shape,
        ids: listOf(Id).optional(),
        /** only twins below this one, on any level */
        belowId: Id.optional(),
        favorites: z.boolean().default(false),
        orderBy: twinOrder.default('title'),
        ...specifiedSelection,
      }),
    )
    .output(pageOf(ListedTwin)),
  /** Direct children of a twin, or the top-most twins the caller may see with id 0. */
  children: operation
    .meta({ rule: listRule, reads: 'replica' })
    .route({
      method: 'GET',
      path: '/digitaltwin/children/{id}',
      tags: ['twins'],
      summary: 'Children of a twin',
    })
    .input(
      z.object({
        id: z.int().min(0),
        accountIds: listOf(Id).optional(),
        offset: z.int().min(0).default(0),
        limit: z.int().min(1).max(1000).default(200),
      }),
    )
    .output(pageOf(TwinSummary)),
  /** The part of the tree that matches a search, with the ancestors of every match, at most 500 matches. */
  partialTree: operation
    .meta({ rule: listRule, reads: 'replica' })
    .route({
      method: 'GET',
      path: '/digitaltwin/partial-tree',
      tags: ['twins'],
      summary: 'Search in the tree',
    })
    .input(
      z.object({
        search: z.string().max(200).optional(),
        twinId: Id.optional(),
        accountIds: listOf(Id).optional(),
      }),
    )
    .output(z.object({ items: z.array(TwinSummary), hitIds: z.array(Id), more: z.boolean() })),
  /** Number of twins, of those with a position, and the bounds of positions and polygons; null if there are none. */
  geoMetaInfos: operation
    .meta({ rule: listRule, clientTimeoutMs: 25_000, reads: 'replica' })
    .route({
      method: 'GET',
      path: '/digitaltwin/geo-meta-infos',
      tags: ['twins'],
      summary: 'Extent of the twins',
    })
    .input(z.object(MapSelection))
    .output(z.object({ total: z.int(), placed: z.int(), bounds: GeoBounds.nullable() })),
  /**
   * Twins in a map area, with neighbours combined into clusters: in squares of `distance` pixels at this zoom (0
   * shows the world in 512 pixels). At most 2 000 clusters and 500 polygons, the largest first; polygons of less than
   * some pixels are left out. `hideStatelessPolygons` leaves out those of twins without states. `markers` asks for values,
   * and for colours and icons by operators.
   */
  geoClusters: operation
    .meta({ rule: listRule, clientTimeoutMs: 25_000, reads: 'replica' })
    .route({
      method: 'GET',
      path: '/digitaltwin/geo-clusters',
      tags: ['twins'],
      summary: 'Twins on a map',
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
  /** The twins of a cluster, by title, and their bounding box. */
  geoClusterBreakOpen: operation
    .meta({ rule: listRule, clientTimeoutMs: 25_000, reads: 'replica' })
    .route({
      method: 'GET',
      path: '/digitaltwin/geo-clusters/break-open/{id}',
      tags: ['twins'],
      summary: 'Twins of a cluster',
    })
    .input(z.object({ ...Paging, ...MapSelection, id: GeoClusterId }))
    .output(pageOf(TwinPlace).extend({ bounds: GeoBounds.nullable() })),
  /** The map settings that are valid for a twin: its own, else those of the nearest twin above it that has some. */
  mapSettings: operation
    .meta({ rule: listRule })
    .route({
      method: 'GET',
      path: '/digitaltwin/{id}/map-settings',
      tags: ['twins'],
      summary: 'Map settings of a twin',
    })
    .input(z.object({ id: Id }))
    .output(ValidMapSettings),
  /** Gives a twin map settings of its own, valid for everything below it that has none. */
  setMapSettings: operation
    .meta({ rule: write })
    .route({
      method: 'PUT',
      path: '/digitaltwin/{id}/map-settings',
      tags: ['twins'],
      summary: 'Change the map settings of a twin',
    })
    .input(z.object({ id: Id, version: z.int().min(0), settings: MapSettings }))
    .output(ValidMapSettings),
  /** Removes the twin's own map settings, so that those of the twins above are valid again. */
  deleteMapSettings: operation
    .meta({ rule: write })
    .route({
      method: 'DELETE',
      path: '/digitaltwin/{id}/map-settings',
      tags: ['twins'],
      summary: "Remove a twin's own map settings",
    })
    .input(z.object({ id: Id }))
    .output(ValidMapSettings),
  /** States of a twin and everything below it by their key, the most frequent first: 100 at most, of 20 000 states. */
  mapStates: operation
    .meta({ rule: read, clientTimeoutMs: 25_000 })
    .route({
      method: 'GET',
      path: '/digitaltwin/map-states',
      tags: ['twins'],
      summary: 'States that a map can show',
    })
    .input(z.object({ twinId: Id.optional() }))
    .output(z.object({ items: z.array(MarkedState) })),
  /**
   * The worst level of the states of each of these twins and of all twins below it, as far as the caller may read
   * them. Twins the caller may not see are missing.
   */
  worstLevels: operation
    .meta({ rule: listRule, look: 'asks' })
    .route({
      method: 'POST',
      path: '/digitaltwin/levels',
      tags: ['twins'],
      summary: 'Worst levels of subtrees',
    })
    .input(z.object({ ids: z.array(Id).min(1).max(1000) }))
    .output(z.object({ items: z.array(z.object({ id: Id, level: TwinSummary.shape.level })) })),
  tagsZones: operation
    .meta({ rule: listRule, reads: 'replica' })
    .route({
      method: 'GET',
      path: '/digitaltwin/tags-zones',
      tags: ['twins'],
      summary: 'Tags and zones in use',
    })
    .output(z.object({ tags: z.array(z.string()), zones: z.array(z.string()) })),
  get: operation
    .meta({ rule: read })
    .route({ method: 'GET', path: '/digitaltwin/{id}', tags: ['twins'], summary: 'Read a twin' })
    .input(z.object({ id: Id }))
    .output(Twin),
  /**
   * A twin needs a parent, or an account for the top of its tree. Rights on the parent's scope are needed. A
   * zone needs a polygon.
   */
  create: operation
    .meta({ rule: write })
    .route({
      method: 'POST',
      path: '/digitaltwin',
      tags: ['twins'],
      summary: 'Create a twin',
      successStatus: 201,
    })
    .input(
      z
        .object({ ...TwinInput, parentId: Id.nullable().default(null), accountId: Id.optional() })
        .refine(isWhole, lacking),
    )
    .output(Twin),
  update: operation
    .meta({ rule: write, changes: 'rights' })
    .route({ method: 'PUT', path: '/digitaltwin/{id}', tags: ['twins'], summary: 'Change a twin' })
    .input(
      z
        .object({ ...TwinInput, ...ChangedPosition, id: Id, version: Version, parentId: Id.nullable() })
        .refine(isWhole, lacking),
    )
    .output(ChangedTwin),
  /**
   * Refused with DTWIN_DELETE_HAS_DEPENDENCIES while states are aggregated elsewhere, it has children, or
   * roles are given on its own scope.
   */
  delete: operation
    .meta({ rule: write, clientTimeoutMs: 60_000, changes: 'rights' })
    .route({ method: 'DELETE', path: '/digitaltwin/{id}', tags: ['twins'], summary: 'Delete a twin' })
    .input(z.object({ id: Id }))
    .output(Done),
  /** What moving a twin below another one changes; without `parentId`: to the top of its account. */
  movePreview: operation
    .meta({ rule: write })
    .route({
      method: 'GET',
      path: '/digitaltwin/{id}/move-preview',
      tags: ['twins'],
      summary: 'What moving a twin changes',
    })
    .input(z.object({ id: Id, parentId: Id.optional() }))
    .output(MovePreview),
  /** Disables or enables a twin together with the virtual devices below it. */
  setDisabled: operation
    .meta({ rule: write, clientTimeoutMs: 60_000 })
    .route({
      method: 'POST',
      path: '/digitaltwin/{id}/disabled/{flag}',
      tags: ['twins'],
      summary: 'Disable or enable',
    })
    .input(z.object({ id: Id, flag: z.boolean() }))
    .output(ChangedTwin),
  /**
   * Gives a twin and everything below it a permission scope of its own, on which roles can be given. Existing
   * rights stay the same, since the new scope inherits them.
   */
  createScope: operation
    .meta({ rule: changeScope, clientTimeoutMs: 120_000, changes: 'rights' })
    .route({
      method: 'POST',
      path: '/digitaltwin/{id}/create-scope',
      tags: ['twins'],
      summary: 'Give a twin a scope of its own',
      successStatus: 201,
    })
    .input(z.object({ id: Id }))
    .output(z.object({ scopeId: Id })),
  /**
   * Puts a twin and everything below it back into the scope above. Refused with SCOPE_IN_USE while roles are
   * given on its scope.
   */
  deleteScope: operation
    .meta({ rule: changeScope, clientTimeoutMs: 120_000, changes: 'rights' })
    .route({
      method: 'DELETE',
      path: '/digitaltwin/{id}/scope',
      tags: ['twins'],
      summary: "Remove a twin's own scope",
    })
    .input(z.object({ id: Id }))
    .output(Done),
  /**
   * Dependencies of a twin: children, devices, states aggregated elsewhere, dashboards, rules, and who has
   * roles on its own scope.
   */
  dependencies: operation
    .meta({ rule: read })
    .route({
      method: 'GET',
      path: '/digitaltwin/{id}/dependencies',
      tags: ['twins'],
      summary: 'Dependencies of a twin',
    })
    .input(z.object({ id: Id }))
    .output(Dependencies),
  /** Where a twin was, see `GeoHistory`. */
  geoHistory: operation
    .meta({ rule: read })
    .route({
      method: 'GET',
      path: '/digitaltwin/{id}/geo-history',
      tags: ['twins'],
      summary: 'Where a twin was',
    })
    .input(GeoHistoryInput)
    .output(GeoHistory),
  /** States with their current values. */
  states: operation
    .meta({
      rule: {
        any: [
          { subject: 'DigitalTwin', action: 'read' },
          { subject: 'VirtualDevice', action: 'read' },
        ],
      },
    })
    .route({
      method: 'GET',
      path: '/digitaltwin/{id}/states',
      tags: ['states'],
      summary: 'States of a twin or device',
    })
    .input(z.object({ id: Id }))
    .output(z.object({ items: z.array(State) })),
}
