import * as z from 'zod'
import { Id, KeyValues, operation, Tags, Text } from './common.ts'
import { UnacceptedDriver } from './driverAcceptance.ts'
import { BackgroundJob, CellFault } from './jobs.ts'
import { may } from './permissions.ts'
import { DeviceFilters, OperationalStatus } from './virtualdevices.ts'

export const bulkLimits = {
  /** maximum devices of one job unless an administrator sets a limit, and the highest possible limit */
  devicesDefault: 500,
  devicesMax: 50_000,
  /** maximum devices of a change that runs synchronously */
  directMax: 100,
  titleLengthMin: 5,
  titleLengthMax: 100,
  fileBytesMax: 10 * 1_048_576,
  /** maximum unpacked size of a file */
  unpackedBytesMax: 100 * 1_048_576,
  columnsMax: 100,
  /** maximum characters in all cells of a file together */
  tableCharsMax: 20_000_000,
  cellLengthMax: 4000,
  /** maximum faults listed by a dry run */
  faultsMax: 500,
  /** maximum drivers of other accounts that an import accepts */
  driversMax: 100,
} as const

export const BulkTitle = z.string().trim().min(bulkLimits.titleLengthMin).max(bulkLimits.titleLengthMax)

/** The given devices, or all that match a list filter when the job is started. */
export const BulkSelection = z.union([
  z.strictObject({ ids: z.array(Id).min(1).max(bulkLimits.devicesMax) }),
  z.strictObject({ filter: DeviceFilters }),
])
export type BulkSelection = z.infer<typeof BulkSelection>

const disjoint = ({ add, remove }: { add: string[]; remove: string[] }) =>
  !add.some((each) => remove.includes(each))
const overlap = { message: 'nothing can be added and removed at once', path: ['remove'] }
/** Words that are added and removed individually. */
export const AddAndRemove = z
  .object({ add: Tags.default([]), remove: Tags.default([]) })
  .refine(disjoint, overlap)
/** Key-values that are set and removed individually. */
export const SetAndRemove = z
  .object({
    set: KeyValues.default({}),
    remove: z.array(z.string().min(1).max(100)).max(100).default([]),
  })
  .refine(({ set, remove }) => disjoint({ add: Object.keys(set), remove }), overlap)
/** Whether a bulk edit changes anything. */
export const changesSomething = (changes: object) => Object.values(changes).some((each) => each !== undefined)

/**
 * Changes of a bulk edit; fields that are absent stay unchanged. Tags, zones, groups and key-values are added
 * and removed individually.
 */
export const BulkChanges = z
  .strictObject({
    tags: AddAndRemove.optional(),
    zones: AddAndRemove.optional(),
    groups: AddAndRemove.optional(),
    keyValues: SetAndRemove.optional(),
    operationalStatus: OperationalStatus.optional(),
    /**
     * null: no driver; without a version, the published one is used. A driver of another account that the
     * account has not accepted is refused (DEVICEDRIVER_NOT_ACCEPTED), unless `acceptDriver` is its version.
     */
    driver: z
      .object({
        driverId: Id.nullable(),
        driverVersion: z.int().min(1).nullable().default(null),
        acceptDriver: z.int().min(1).optional(),
      })
      .optional(),
    /** null: the top level of the account */
    parentId: Id.nullable().optional(),
    description: Text.optional(),
    icon: z.string().max(50).nullable().optional(),
    address: z.string().max(500).optional(),
    floorNumber: z.int().min(-100).max(300).nullable().optional(),
    disabled: z.boolean().optional(),
  })
  .refine(changesSomething, 'nothing to change')
export type BulkChanges = z.infer<typeof BulkChanges>

/** Fields of a device that a column can be imported into. `keyValue` and `referenceId` also need a name. */
export const importTargets = [
  'externalId',
  'title',
  'description',
  'driver',
  'operationalStatus',
  'parent',
  'tags',
  'zones',
  'groups',
  'address',
  'latitude',
  'longitude',
  'floorNumber',
  'keyValue',
  'referenceId',
] as const
export const ImportTarget = z.enum(importTargets)
export type ImportTarget = z.infer<typeof ImportTarget>

/** Targets that need a name, and can therefore be read from several columns. */
export const isNamedTarget = (target: string): boolean => target === 'keyValue' || target === 'referenceId'

/** Fields of every column of a file, beside its target. */
export const columnFields = {
  /** column index in the file, from 0 */
  column: z
    .int()
    .min(0)
    .max(bulkLimits.columnsMax - 1),
  /** name of the key or the reference id */
  name: z.string().trim().min(1).max(100).optional(),
}

interface AnyColumn {
  target: string
  name?: string | undefined
}

export const isWellNamed = ({ target, name }: AnyColumn) => isNamedTarget(target) === (name !== undefined)
export const badlyNamed = {
  message: 'key-values and reference ids need a name, nothing else has one',
  path: ['name'],
}

export const ImportColumn = z
  .object({ ...columnFields, target: ImportTarget })
  .refine(isWellNamed, badlyNamed)
export type ImportColumn = z.infer<typeof ImportColumn>

/** Whether each field is read from one column only. */
export const isOnce = (columns: readonly AnyColumn[]) => {
  const seen = columns.map(({ target, name }) => `${target} ${name ?? ''}`)
  return new Set(seen).size === seen.length
}

/**
 * How to create devices from a file: their parent, the meaning of each column, and defaults for empty cells.
 */
export const ImportSettings = z.object({
  connectorId: Id,
  columns: z
    .array(ImportColumn)
    .min(1)
    .max(bulkLimits.columnsMax)
    .refine(isOnce, 'a field can be read from one column only')
    .refine((columns) => columns.some(({ target }) => target === 'externalId'), 'externalId is missing')
    .refine((columns) => columns.some(({ target }) => target === 'title'), 'title is missing'),
  driverId: Id.nullable().default(null),
  driverVersion: z.int().min(1).nullable().default(null),
  operationalStatus: OperationalStatus.default(0),
  parentId: Id.nullable().default(null),
  tags: Tags.default([]),
  groups: Tags.default([]),
  /** versions of other accounts' drivers that the account accepts in the name of the caller */
  acceptDrivers: z
    .array(z.object({ driverId: Id, number: z.int().min(1) }))
    .max(bulkLimits.driversMax)
    .default([]),
})
export type ImportSettings = z.infer<typeof ImportSettings>

/** A column of an uploaded file. */
export const UploadedColumn = z.object({ title: z.string(), examples: z.array(z.string()) })

/** An uploaded file, without its columns. */
export const UploadedFile = z.object({ id: z.uuid(), fileName: z.string(), rows: z.int() })

export const BulkUpload = UploadedFile.extend({
  columns: z.array(
    UploadedColumn.extend({
      /** suggested target, derived from its title */
      target: ImportTarget.nullable(),
    }),
  ),
})
export type BulkUpload = z.infer<typeof BulkUpload>

/**
 * Faults of the first faulty rows; `row` counts from 2 as in spreadsheets, where 1 is the header row.
 */
export const FaultyRows = z.array(z.object({ row: z.int(), title: z.string(), faults: z.array(CellFault) }))

const write = may('VirtualDevice', 'write', 'manage')
const tags = ['virtual devices']

/** Changes of many devices as background jobs, with a result for each device. */
export const bulk = {
  /** The number of devices in a selection, the number of their accounts, and the maximum for a job. */
  selection: operation
    .meta({ rule: write, clientTimeoutMs: 25_000, look: 'asks' })
    .route({
      method: 'POST',
      path: '/background-runners/virtualdevice-bulk-edit/selection',
      tags,
      summary: 'Count a selection',
    })
    .input(z.object({ selection: BulkSelection }))
    .output(
      z.object({
        devices: z.int(),
        devicesMax: z.int(),
        /** how many of them could also be deleted at a network server */
        remote: z.int(),
        accounts: z.array(z.object({ id: Id, name: z.string() })),
      }),
    ),
  /**
   * Changes, links or deletes devices. Tags, zones, groups, driver, parent and template need devices of one
   * account (BULK_SEVERAL_ACCOUNTS); deleting needs their number (BULK_COUNT). Above the limit:
   * BACKGROUND_JOB_TOO_LARGE. A driver that is not accepted: DEVICEDRIVER_NOT_ACCEPTED with `drivers`.
   */
  edit: operation
    .meta({ rule: write, clientTimeoutMs: 60_000 })
    .route({
      method: 'POST',
      path: '/background-runners/virtualdevice-bulk-edit',
      tags,
      summary: 'Change or delete many devices',
      successStatus: 201,
    })
    .input(
      z.object({
        title: BulkTitle,
        selection: BulkSelection,
        mode: z.discriminatedUnion('kind', [
          z.object({ kind: z.literal('edit'), changes: BulkChanges }),
          /** links them to a published template; each device must have its driver and connector */
          z.object({ kind: z.literal('link'), templateId: Id }),
          z.object({
            kind: z.literal('delete'),
            count: z.int().min(1),
            /**
             * first deletes devices at the network server their connector has access to; devices that fail
             * there are kept here
             */
            delete_remotely: z.boolean().default(false),
          }),
        ]),
      }),
    )
    .output(BackgroundJob),
  /**
   * Uploads a CSV (`;`, `,` or tab; UTF-8 or Windows-1252) or XLSX file with a header row, as multipart form.
   * It is kept for a day.
   */
  upload: operation
    .meta({ rule: write, fileBytesMax: bulkLimits.fileBytesMax, clientTimeoutMs: 50_000 })
    .route({
      method: 'POST',
      path: '/background-runners/virtualdevice-bulk-import/upload',
      tags,
      summary: 'Upload a file of devices',
      successStatus: 201,
    })
    .input(z.object({ file: z.file() }))
    .output(BulkUpload),
  /** Dry run: checks every row and creates nothing. */
  preview: operation
    .meta({ rule: write, clientTimeoutMs: 60_000, look: 'asks' })
    .route({
      method: 'POST',
      path: '/background-runners/virtualdevice-bulk-import/preview',
      tags,
      summary: 'Check a file of devices',
    })
    .input(z.object({ uploadId: z.uuid(), settings: ImportSettings }))
    .output(
      z.object({
        rows: z.int(),
        valid: z.int(),
        faulty: z.int(),
        devicesMax: z.int(),
        faults: FaultyRows,
        /** other accounts' drivers that valid rows use and that have to be accepted: see `acceptDrivers` */
        drivers: z.array(UnacceptedDriver),
      }),
    ),
  /**
   * Creates the devices of a file. Faulty rows abort it (BULK_ROWS_FAULTY) unless they are skipped, drivers
   * of other accounts (DEVICEDRIVER_NOT_ACCEPTED with `drivers`) unless they are accepted.
   */
  import: operation
    .meta({ rule: write, clientTimeoutMs: 60_000 })
    .route({
      method: 'POST',
      path: '/background-runners/virtualdevice-bulk-import',
      tags,
      summary: 'Create many devices',
      successStatus: 201,
    })
    .input(
      z.object({
        title: BulkTitle,
        uploadId: z.uuid(),
        settings: ImportSettings,
        /** faulty rows are listed in the result of the job, to be corrected and uploaded again */
        skipFaulty: z.boolean().default(false),
      }),
    )
    .output(BackgroundJob),
  /** Changes a few devices synchronously: all of them or none. */
  update: operation
    .meta({ rule: write, clientTimeoutMs: 60_000 })
    .route({ method: 'PUT', path: '/virtualdevice/bulk-update', tags, summary: 'Change several devices' })
    .input(z.object({ ids: z.array(Id).min(1).max(bulkLimits.directMax), changes: BulkChanges }))
    .output(z.object({ changed: z.int(), unchanged: z.int() })),
}
