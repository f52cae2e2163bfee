import * as z from 'zod'
import { Done, Id, operation, Time } from './common.ts'
import { anyOf, may } from './permissions.ts'

export const fileLimits = {
  fileBytesMax: 10 * 1_048_576,
  /** attachments of one object */
  attachmentsMax: 20,
  nameLengthMax: 200,
  /** longest side of a picture */
  pictureSideMaxPx: 10_000,
} as const

/** Kinds of objects that files can be attached to. */
export const fileObjects = ['virtualDevice', 'digitalTwin', 'deviceDriver', 'smartGroup', 'ticket'] as const
export type FileObject = (typeof fileObjects)[number]

/** An object has at most one picture, and a twin one floor plan. */
export const fileRoles = ['attachment', 'picture', 'plan'] as const

/** Types of pictures, detected from their content. */
export const pictureTypes = ['image/jpeg', 'image/png', 'image/webp'] as const

export const StoredFile = z.object({
  id: Id,
  object: z.enum(fileObjects),
  objectId: Id,
  role: z.enum(fileRoles),
  name: z.string(),
  /** media type of its content, e.g. `application/pdf` */
  type: z.string(),
  /** bytes */
  size: z.int(),
  /** SHA-256, hexadecimal */
  hash: z.string(),
  createdBy: z.string(),
  createdAt: Time,
})
export type StoredFile = z.infer<typeof StoredFile>

const read = anyOf(
  may('VirtualDevice', 'read', 'write', 'manage'),
  may('DigitalTwin', 'read', 'write', 'manage'),
  may('DeviceDriver', 'read', 'manage'),
  may('IsFmTicket', 'read', 'create', 'manage'),
)
const write = anyOf(
  may('VirtualDevice', 'write', 'manage'),
  may('DigitalTwin', 'write', 'manage'),
  may('DeviceDriver', 'manage'),
  may('IsFmTicket', 'create', 'manage'),
)

/** Form fields are text. */
const FormId = z.coerce.number<number | string>().int().positive()

const Upload = z
  .object({
    file: z.file(),
    /** the object to attach it to; the caller must be allowed to change that */
    object: z.enum(fileObjects),
    objectId: FormId,
    role: z.enum(fileRoles).default('attachment'),
  })
  .refine(({ object, role }) => role !== 'plan' || object === 'digitalTwin', {
    path: ['role'],
    message: 'only twins have a floor plan',
  })

const uploadMeta = { rule: write, fileBytesMax: fileLimits.fileBytesMax, clientTimeoutMs: 50_000 } as const

/** A file, or 304 without one. */
export const FileReply = z.union([
  z.object({
    headers: z.object({
      etag: z.string(),
      'cache-control': z.string(),
      'content-disposition': z.string(),
    }),
    body: z.file(),
  }),
  z.object({
    status: z.literal(304),
    headers: z.object({ etag: z.string(), 'cache-control': z.string() }),
  }),
])

/** Pictures and attachments of virtual devices, twins and drivers. */
export const upload = {
  /**
   * Stores a file (multipart form) and attaches it to an object. The type is detected from the content:
   * pictures are JPEG, PNG or WebP; attachments can also be GIF, PDF, office documents, text, ZIP and MP4. A
   * new picture or floor plan replaces the old one.
   */
  post: operation
    .meta(uploadMeta)
    .route({
      method: 'POST',
      path: '/upload/post',
      tags: ['files'],
      summary: 'Upload a file',
      successStatus: 201,
    })
    .input(Upload)
    .output(StoredFile),
  /** The same as `/upload/post`, at its newer address. */
  postV2: operation
    .meta(uploadMeta)
    .route({
      method: 'POST',
      path: '/upload/v2/post',
      tags: ['files'],
      summary: 'Upload a file (v2)',
      successStatus: 201,
    })
    .input(Upload)
    .output(StoredFile),
  /** Picture and attachments of an object, the picture first, then by name. There are at most 21. */
  list: operation
    .meta({ rule: read })
    .route({ method: 'GET', path: '/upload/files', tags: ['files'], summary: 'Files of an object' })
    .input(z.object({ object: z.enum(fileObjects), objectId: Id }))
    .output(
      z.object({
        items: z.array(StoredFile),
        /** whether the caller may add and remove */
        editable: z.boolean(),
      }),
    ),
  /** The file as a download, never displayed inline. Returns 304 if `if-none-match` contains its `etag`. */
  file: operation
    .meta({ rule: read, clientTimeoutMs: 50_000 })
    .route({
      method: 'GET',
      path: '/upload/file/{id}',
      tags: ['files'],
      summary: 'Download a file',
      outputStructure: 'detailed',
    })
    .input(z.object({ id: Id }))
    .output(FileReply),
  delete: operation
    .meta({ rule: write })
    .route({ method: 'DELETE', path: '/upload/file/{id}', tags: ['files'], summary: 'Delete a file' })
    .input(z.object({ id: Id }))
    .output(Done),
}
