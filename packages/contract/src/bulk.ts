import * as z from 'zod'
import { Id, KeyValues, operation, Tags, Text } from './common.ts'
import { BackgroundJob, CellFault } from './jobs.ts'
import { may } from './permissions.ts'
import { DeviceFilters, OperationalStatus } from './virtualdevices.ts'

export const bulkLimits = {
  /** devices of one job where no administrator has said otherwise, and what he can say at most */
  devicesDefault: 500,
  devicesMax: 50_000,
  /** devices of a change that is made at once */
  directMax: 100,
  titleLengthMin: 5,
  titleLengthMax: 100,
  fileBytesMax: 10 * 1_048_576,
  /** what a file may unpack to */
  unpackedBytesMax: 100 * 1_048_576,
  columnsMax: 100,
  /** text in all cells of a file together */
  tableCharsMax: 20_000_000,
  cellLengthMax: 4000,
  /** faults a dry run tells in full */
  faultsMax: 500,
} as const

export const BulkTitle = z.string().trim().min(bulkLimits.titleLengthMin).max(bulkLimits.titleLengthMax)

/** Some devices, or all that match a filter of the list when the job is started. */
export const BulkSelection = z.union([
  z.strictObject({ ids: z.array(Id).min(1).max(bulkLimits.devicesMax) }),
  z.strictObject({ filter: DeviceFilters }),
])
export type BulkSelection = z.infer<typeof BulkSelection>

const disjoint = ({ add, remove }: { add: string[]; remove: string[] }) =>
  !add.some((each) => remove.includes(each))
const overlap = { message: 'nothing can be added and removed at once', path: ['remove'] }
const AddAndRemove = z.object({ add: Tags.default([]), remove: Tags.default([]) }).refine(disjoint, overlap)

/** What a bulk edit changes; what is not named stays. Tags, zones, groups and key-values are added and removed one by one. */
export const BulkChanges = z
  .strictObject({
    tags: AddAndRemove.optional(),
    zones: AddAndRemove.optional(),
    groups: AddAndRemove.optional(),
    keyValues: z
      .object({
        set: KeyValues.default({}),
        remove: z.array(z.string().min(1).max(100)).max(100).default([]),
      })
      .refine(({ set, remove }) => disjoint({ add: Object.keys(set), remove }), overlap)
      .optional(),
    operationalStatus: OperationalStatus.optional(),
    /** null: no driver; without a version the published one is followed */
    driver: z
      .object({ driverId: Id.nullable(), driverVersion: z.int().min(1).nullable().default(null) })
      .optional(),
    /** null: the top of the account */
    parentId: Id.nullable().optional(),
    description: Text.optional(),
    icon: z.string().max(50).nullable().optional(),
    address: z.string().max(500).optional(),
    floorNumber: z.int().min(-100).max(300).nullable().optional(),
    disabled: z.boolean().optional(),
  })
  .refine((changes) => Object.values(changes).some((each) => each !== undefined), 'nothing to change')
export type BulkChanges = z.infer<typeof BulkChanges>

/** Fields of a device a column can be read into. `keyValue` and `referenceId` take a name beside it. */
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

const named: readonly ImportTarget[] = ['keyValue', 'referenceId']

export const ImportColumn = z
  .object({
    /** place in the file, from 0 */
    column: z
      .int()
      .min(0)
      .max(bulkLimits.columnsMax - 1),
    target: ImportTarget,
    /** of the key or the reference id */
    name: z.string().trim().min(1).max(100).optional(),
  })
  .refine(({ target, name }) => named.includes(target) === (name !== undefined), {
    message: 'key-values and reference ids need a name, nothing else has one',
    path: ['name'],
  })
export type ImportColumn = z.infer<typeof ImportColumn>

const isOnce = (columns: readonly ImportColumn[]) => {
  const seen = columns.map(({ target, name }) => `${target} ${name ?? ''}`)
  return new Set(seen).size === seen.length
}

/** How a file becomes devices: where they hang, which column is what, and what holds where a cell is empty. */
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
})
export type ImportSettings = z.infer<typeof ImportSettings>

export const BulkUpload = z.object({
  id: z.uuid(),
  fileName: z.string(),
  rows: z.int(),
  columns: z.array(
    z.object({
      title: z.string(),
      examples: z.array(z.string()),
      /** what it seems to be, by its title */
      target: ImportTarget.nullable(),
    }),
  ),
})
export type BulkUpload = z.infer<typeof BulkUpload>

const write = may('VirtualDevice', 'write', 'manage')
const tags = ['virtual devices']

/** Changes of many devices as background jobs, with a result for each of them. */
export const bulk = {
  /** How many devices a selection holds, in how many accounts, and how many a job may have. */
  selection: operation
    .meta({ rule: write, clientTimeoutMs: 25_000 })
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
        /** how many of them could be deleted at a network server, too */
        remote: z.int(),
        accounts: z.array(z.object({ id: Id, name: z.string() })),
      }),
    ),
  /**
   * Changes, links or deletes devices. Tags, zones, groups, driver, parent and template need devices of one account (BULK_SEVERAL_ACCOUNTS);
   * deleting needs their number (BULK_COUNT). More than the limit: BACKGROUND_JOB_TOO_LARGE.
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
          /** to a template that was published; each needs its driver and connector */
          z.object({ kind: z.literal('link'), templateId: Id }),
          z.object({
            kind: z.literal('delete'),
            count: z.int().min(1),
            /** those whose connector has access to a network server there first; what fails there stays here */
            delete_remotely: z.boolean().default(false),
          }),
        ]),
      }),
    )
    .output(BackgroundJob),
  /**
   * Takes a CSV (`;`, `,` or tab; UTF-8 or Windows-1252) or XLSX file with a line of titles, as multipart form. It is kept
   * for a day.
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
  /** Dry run: looks at every row and creates nothing. */
  preview: operation
    .meta({ rule: write, clientTimeoutMs: 60_000 })
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
        /** of the first rows that have any; `row` counts from 2 as spreadsheets do: 1 is the line of titles */
        faults: z.array(z.object({ row: z.int(), title: z.string(), faults: z.array(CellFault) })),
      }),
    ),
  /** Creates the devices of a file. Rows with faults end it (BULK_ROWS_FAULTY) unless they are left out. */
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
        /** faulty rows stand in the result of the job, to be mended and uploaded again */
        skipFaulty: z.boolean().default(false),
      }),
    )
    .output(BackgroundJob),
}

/** Changes a few devices at once: all of them or none. */
export const bulkUpdate = operation
  .meta({ rule: write, clientTimeoutMs: 60_000 })
  .route({ method: 'PUT', path: '/virtualdevice/bulk-update', tags, summary: 'Change several devices' })
  .input(z.object({ ids: z.array(Id).min(1).max(bulkLimits.directMax), changes: BulkChanges }))
  .output(z.object({ changed: z.int(), unchanged: z.int() }))
