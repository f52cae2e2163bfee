import multipart from '@fastify/multipart'
import { contract } from '@leitstand/contract'
import type { OperationMeta } from '@leitstand/contract/common'
import { isContractProcedure } from '@orpc/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../errors.ts'

interface Upload {
  path: string
  /** of all files together */
  bytesMax: number
  /** undefined: at least one is required */
  filesMax: number | undefined
}

/** Operations that take files, e.g. `/background-runners/virtualdevice-bulk-import/upload`. */
function uploadsOf(router: object): Upload[] {
  return Object.values(router).flatMap((entry: object) => {
    if (!isContractProcedure(entry)) return uploadsOf(entry)
    const { route, meta } = entry['~orpc']
    const { fileBytesMax, filesMax } = meta as OperationMeta
    if (fileBytesMax === undefined || route.path === undefined) return []
    return [{ path: route.path.replace(/\{(\w+)\}/g, ':$1'), bytesMax: fileBytesMax, filesMax }]
  })
}

/** Memory for all uploads in progress; requests that would exceed it are refused with a request to retry. */
const heldBytesMax = 256 * 1024 * 1024

/**
 * Serves the operations that take files: only these read a body other than JSON, and where a file is required
 * JSON is rejected.
 * @param serve handles a request; it calls `read` once the caller is known, so nothing is read from unknown
 * callers
 * @param bytesMax memory for all uploads in progress; a file counts until its request is answered
 */
export function mountUploads(
  http: FastifyInstance,
  serve: (
    request: FastifyRequest,
    reply: FastifyReply,
    read?: () => Promise<FormData>,
  ) => Promise<FastifyReply>,
  bytesMax = heldBytesMax,
): void {
  let heldBytes = 0
  const mount = (scope: FastifyInstance, uploads: readonly Upload[]) => {
    for (const upload of uploads) {
      scope.post(`/api${upload.path}`, (request, reply) => {
        if (upload.filesMax !== undefined && !request.isMultipart()) return serve(request, reply)
        let own = 0
        const hold = (bytes: number) => {
          own += bytes
          heldBytes += bytes
          if (heldBytes > bytesMax) throw new AppError('OVERLOADED')
        }
        reply.raw.once('close', () => {
          heldBytes -= own
        })
        return serve(request, reply, () => readForm(request, upload, hold))
      })
    }
  }
  const uploads = uploadsOf(contract)
  void http.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    await scope.register(multipart)
    mount(
      scope,
      uploads.filter(({ filesMax }) => filesMax === undefined),
    )
  })
  void http.register(async (scope) => {
    await scope.register(multipart)
    mount(
      scope,
      uploads.filter(({ filesMax }) => filesMax !== undefined),
    )
  })
}

/** Limits of the fields a form may contain besides its files. */
const fieldLimits = { fields: 10, fieldNameSize: 100, fieldSize: 20_000 } as const

/**
 * The files and fields of a form, read as a stream and never beyond the limits.
 * @param hold called for every chunk that is kept
 * @throws AppError BODY_TOO_LARGE, OVERLOADED, PARAMETER_VALIDATION_ERROR
 */
async function readForm(
  request: FastifyRequest,
  { bytesMax, filesMax = 1 }: Upload,
  hold: (bytes: number) => void,
): Promise<FormData> {
  if (!request.isMultipart())
    throw new AppError('PARAMETER_VALIDATION_ERROR', undefined, 'The body must be multipart/form-data')
  const form = new FormData()
  const limits = { ...fieldLimits, fileSize: bytesMax, files: filesMax, parts: fieldLimits.fields + filesMax }
  let bytes = 0
  for await (const part of request.parts({ limits })) {
    if (part.type === 'field') form.append(part.fieldname, String(part.value))
    else {
      const chunks: Buffer<ArrayBuffer>[] = []
      for await (const chunk of part.file) {
        hold(chunk.length)
        bytes += chunk.length
        chunks.push(chunk)
      }
      if (part.file.truncated || bytes > bytesMax) throw new AppError('BODY_TOO_LARGE', { bytesMax })
      form.append(part.fieldname, new File(chunks, part.filename, { type: part.mimetype }))
    }
  }
  return form
}
