import multipart from '@fastify/multipart'
import { contract } from '@leitstand/contract'
import type { OperationMeta } from '@leitstand/contract/common'
import { isContractProcedure } from '@orpc/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../errors.ts'

interface Upload {
  path: string
  bytesMax: number
}

/** Operations that take a file, e.g. `/background-runners/virtualdevice-bulk-import/upload`. */
function uploadsOf(router: object): Upload[] {
  return Object.values(router).flatMap((entry: object) => {
    if (!isContractProcedure(entry)) return uploadsOf(entry)
    const { route, meta } = entry['~orpc']
    const { fileBytesMax } = meta as OperationMeta
    if (fileBytesMax === undefined || route.path === undefined) return []
    return [{ path: route.path.replace(/\{(\w+)\}/g, ':$1'), bytesMax: fileBytesMax }]
  })
}

/** What files on their way may take of the memory together; who would need more is asked to come back. */
const heldBytesMax = 256 * 1024 * 1024

/**
 * Serves the operations that take a file: only these read a body that is no JSON, and JSON they do not take.
 * @param serve answers a request; it calls `read` when it knows who asks, so that nobody unknown is read from
 * @param bytesMax what all files on their way may take of the memory; a file counts until its request is answered
 */
export function mountUploads(
  http: FastifyInstance,
  serve: (
    request: FastifyRequest,
    reply: FastifyReply,
    read: () => Promise<FormData>,
  ) => Promise<FastifyReply>,
  bytesMax = heldBytesMax,
): void {
  let heldBytes = 0
  void http.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    await scope.register(multipart)
    for (const { path, bytesMax: fileBytesMax } of uploadsOf(contract)) {
      scope.post(`/api${path}`, (request, reply) => {
        let own = 0
        const hold = (bytes: number) => {
          own += bytes
          heldBytes += bytes
          if (heldBytes > bytesMax) throw new AppError('OVERLOADED')
        }
        reply.raw.once('close', () => {
          heldBytes -= own
        })
        return serve(request, reply, () => readForm(request, fileBytesMax, hold))
      })
    }
  })
}

/** What a form may say beside its file. */
const fieldLimits = { fields: 10, fieldNameSize: 100, fieldSize: 20_000 } as const

/**
 * The one file of a form with its fields, read as it comes and no further than it may be.
 * @param hold is told of every piece that is kept
 * @throws AppError BODY_TOO_LARGE, OVERLOADED, PARAMETER_VALIDATION_ERROR
 */
async function readForm(
  request: FastifyRequest,
  bytesMax: number,
  hold: (bytes: number) => void,
): Promise<FormData> {
  if (!request.isMultipart())
    throw new AppError('PARAMETER_VALIDATION_ERROR', undefined, 'The body must be multipart/form-data')
  const form = new FormData()
  const limits = { ...fieldLimits, fileSize: bytesMax, files: 1, parts: fieldLimits.fields + 1 }
  for await (const part of request.parts({ limits })) {
    if (part.type === 'field') form.append(part.fieldname, String(part.value))
    else {
      const chunks: Buffer<ArrayBuffer>[] = []
      for await (const chunk of part.file) {
        hold(chunk.length)
        chunks.push(chunk)
      }
      if (part.file.truncated) throw new AppError('BODY_TOO_LARGE', { bytesMax })
      form.append(part.fieldname, new File(chunks, part.filename, { type: part.mimetype }))
    }
  }
  return form
}
