import * as z from 'zod'
import { Done, Id, Json, listOf, operation, Paging, pageOf, Time, Version } from './common.ts'
import { type AccessRule, may } from './permissions.ts'
import { ValueType } from './states.ts'
import { isMeaningful, warnLevels } from './warnLevels.ts'

export const warnLimits = {
  /** states of a monitor */
  statesMax: 12,
  /** monitors of an account */
  monitorsMax: 500,
  /** characters of the title */
  titleMax: 120,
  /** values of a state that are bad, and that are okay */
  valuesMax: 20,
  valueLengthMax: 100,
  /** a year */
  silentMinutesMax: 525_600,
  imageBytesMax: 2 * 1_048_576,
  /** longest side of an image */
  imageSideMaxPx: 4096,
  soundBytesMax: 3 * 1_048_576,
  fileBytesMax: 3 * 1_048_576,
  /** how long a monitor may take to answer, so that a screen on a wall soon knows */
  answerMs: 8_000,
} as const

export const warnMediaRoles = ['image', 'sound'] as const
export type WarnMediaRole = (typeof warnMediaRoles)[number]

/** What a file may be, detected from its content. */
export const warnMediaTypes = {
  image: ['image/jpeg', 'image/png', 'image/gif'],
  sound: ['audio/mpeg', 'audio/webm', 'audio/wav', 'audio/flac'],
} as const satisfies Record<WarnMediaRole, readonly string[]>

const Limit = z.number().nullable().default(null)
const Values = z
  .array(z.string().trim().min(1).max(warnLimits.valueLengthMax))
  .max(warnLimits.valuesMax)
  .default([])

const Limits = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('number'), badTo: Limit, okayTo: Limit, okayFrom: Limit, badFrom: Limit }),
    z.object({ kind: z.literal('values'), bad: Values, okay: Values }),
  ])
  .refine(isMeaningful, 'limits ascend, and no value is both bad and okay')

const SilentMinutes = z.int().min(1).max(warnLimits.silentMinutesMax).nullable().default(null)

/** Plain text. What turns the direction of writing could make a screen on the wall say something else. */
const MonitorTitle = z
  .string()
  .trim()
  .max(warnLimits.titleMax)
  .regex(/^[^\p{Bidi_Control}\p{Cc}]*$/u)

export const WarnStateInput = z.object({ stateId: Id, limits: Limits, silentMinutes: SilentMinutes })
export type WarnStateInput = z.infer<typeof WarnStateInput>

export const WarnMonitorInput = z.object({
  /** of the twin */
  id: Id,
  /** null: the twin has no monitor yet */
  version: Version.nullable(),
  /** empty: the title of the twin */
  title: MonitorTitle.default(''),
  states: z
    .array(WarnStateInput)
    .min(1)
    .max(warnLimits.statesMax)
    .refine(
      (states) => new Set(states.map(({ stateId }) => stateId)).size === states.length,
      'each state once',
    ),
})
export type WarnMonitorInput = z.infer<typeof WarnMonitorInput>

const Level = z.enum(warnLevels)

/** A state as it is chosen for a monitor. */
const stateFields = {
  stateId: Id,
  key: z.string(),
  title: z.string(),
  unit: z.string(),
  decimals: z.int().nullable(),
  valueType: ValueType,
  value: Json.nullable(),
  time: Time.nullable(),
}
export const WarnChoice = z.object(stateFields)
export type WarnChoice = z.infer<typeof WarnChoice>

export const WarnState = z.object({
  ...stateFields,
  limits: Limits,
  silentMinutes: SilentMinutes,
  level: Level,
})
export type WarnState = z.infer<typeof WarnState>

const WarnMedia = z.object({
  name: z.string(),
  /** media type of its content */
  type: z.string(),
  /** bytes */
  size: z.int(),
  /** SHA-256, hexadecimal: it changes with the content */
  hash: z.string(),
})
export type WarnMedia = z.infer<typeof WarnMedia>

const monitorFields = {
  /** of its twin */
  id: Id,
  version: Version,
  /** its own, or that of its twin */
  title: z.string(),
  /** empty: it has that of its twin */
  ownTitle: z.string(),
  twinTitle: z.string(),
  accountId: Id,
  accountName: z.string(),
  image: WarnMedia.nullable(),
  sound: WarnMedia.nullable(),
  /** by its states, now */
  level: Level,
  /** whether the caller may change it */
  editable: z.boolean(),
}

export const WarnMonitor = z.object({
  ...monitorFields,
  states: z.array(WarnState),
  /** time of the server, by which the age of values is judged */
  now: Time,
})
export type WarnMonitor = z.infer<typeof WarnMonitor>

export const WarnMonitorItem = z.object({
  ...monitorFields,
  /** how many it shows */
  states: z.int(),
  /** of the oldest value of its states; null: one has none */
  oldest: Time.nullable(),
})
export type WarnMonitorItem = z.infer<typeof WarnMonitorItem>

const read = may('IsWarnapp', 'read', 'manage')
const manage = {
  any: [
    {
      all: [
        { subject: 'IsWarnapp', action: 'manage' },
        { subject: 'DigitalTwin', action: 'list' },
      ],
    },
  ],
} as const satisfies AccessRule

/** A file of a monitor, or 304 without one. */
const MediaReply = z.union([
  z.object({
    headers: z.object({
      etag: z.string(),
      'cache-control': z.string(),
      'content-disposition': z.string(),
      'content-security-policy': z.string(),
      'x-content-type-options': z.literal('nosniff'),
    }),
    body: z.file(),
  }),
  z.object({ status: z.literal(304), headers: z.object({ etag: z.string(), 'cache-control': z.string() }) }),
])

/** Form fields are text. */
const FormId = z.coerce.number<number | string>().int().positive()

/** Warn monitors: one for each twin, for a screen on the wall. Visible in the scope of the twin. */
export const isWarnapp = {
  /** By title. */
  list: operation
    .meta({ rule: read })
    .route({ method: 'GET', path: '/isWarnapp', tags: ['warnapp'], summary: 'Warn monitors' })
    .input(
      z.object({
        ...Paging,
        search: z.string().max(200).optional(),
        accountIds: listOf(Id).optional(),
        /** only favourites of the caller */
        favorites: z.boolean().optional(),
      }),
    )
    .output(pageOf(WarnMonitorItem)),
  /** With the newest values. @throws WARN_MONITOR_NOT_FOUND */
  get: operation
    .meta({ rule: read, clientTimeoutMs: warnLimits.answerMs })
    .route({ method: 'GET', path: '/isWarnapp/{id}', tags: ['warnapp'], summary: 'A warn monitor' })
    .input(z.object({ id: Id }))
    .output(WarnMonitor),
  /** States of a twin that a monitor can show, in their order. @throws DTWIN_NOT_FOUND */
  choices: operation
    .meta({ rule: manage })
    .route({
      method: 'GET',
      path: '/isWarnapp/{id}/states',
      tags: ['warnapp'],
      summary: 'States for a warn monitor',
    })
    .input(z.object({ id: Id, ...Paging }))
    .output(pageOf(WarnChoice)),
  /**
   * Creates or changes the monitor of a twin.
   * @throws DTWIN_NOT_FOUND, WARN_MONITOR_NOT_FOUND, WARN_MONITOR_DUPLICATE, VERSION_CONFLICT, WARN_STATE_INVALID,
   *   WARN_MONITORS_LIMIT
   */
  save: operation
    .meta({ rule: manage })
    .route({ method: 'PUT', path: '/isWarnapp/{id}', tags: ['warnapp'], summary: 'Set up a warn monitor' })
    .input(WarnMonitorInput)
    .output(WarnMonitor),
  /** @throws WARN_MONITOR_NOT_FOUND */
  delete: operation
    .meta({ rule: manage })
    .route({ method: 'DELETE', path: '/isWarnapp/{id}', tags: ['warnapp'], summary: 'Delete a warn monitor' })
    .input(z.object({ id: Id }))
    .output(Done),
  /**
   * Stores the image or the sound of a monitor instead of the one before (multipart form). The type is detected from the
   * content.
   * @throws WARN_MONITOR_NOT_FOUND, WARN_MEDIA_REFUSED, WARN_MEDIA_TOO_LARGE, FILE_EMPTY, TENANT_FILE_LIMIT
   */
  setMedia: operation
    .meta({ rule: manage, fileBytesMax: warnLimits.fileBytesMax, clientTimeoutMs: 50_000 })
    .route({
      method: 'POST',
      path: '/isWarnapp/{id}/media',
      tags: ['warnapp'],
      summary: 'Upload image or sound of a warn monitor',
    })
    .input(z.object({ id: FormId, role: z.enum(warnMediaRoles), file: z.file() }))
    .output(WarnMonitor),
  /** @throws WARN_MONITOR_NOT_FOUND, WARN_MEDIA_NOT_FOUND */
  removeMedia: operation
    .meta({ rule: manage })
    .route({
      method: 'DELETE',
      path: '/isWarnapp/{id}/media/{role}',
      tags: ['warnapp'],
      summary: 'Remove image or sound of a warn monitor',
    })
    .input(z.object({ id: Id, role: z.enum(warnMediaRoles) }))
    .output(WarnMonitor),
  /**
   * The image or sound as a download, whole and never displayed inline. Returns 304 if `if-none-match` contains its `etag`.
   * @throws WARN_MONITOR_NOT_FOUND, WARN_MEDIA_NOT_FOUND
   */
  media: operation
    .meta({ rule: read, clientTimeoutMs: 50_000 })
    .route({
      method: 'GET',
      path: '/isWarnapp/{id}/media/{role}',
      tags: ['warnapp'],
      summary: 'Image or sound of a warn monitor',
      outputStructure: 'detailed',
    })
    .input(z.object({ id: Id, role: z.enum(warnMediaRoles) }))
    .output(MediaReply),
}
