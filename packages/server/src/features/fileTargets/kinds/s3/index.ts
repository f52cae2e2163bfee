import * as http from 'node:http'
import * as https from 'node:https'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { DeleteObjectCommand, S3Client, type S3ServiceException } from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import { AppError } from '../../../../platform/errors.ts'
import { guardedSocket, type SocketGuard } from '../../../../platform/net/guardedSocket.ts'
import { TargetError, type TargetKind, type TargetOf } from '../../types.ts'
import { partsOf } from '../paths.ts'
import { demandTls } from '../plain.ts'

const connectMs = 10_000
const idleMs = 60_000
/** S3 allows 10 000 parts of 5 MB at least. */
const partsMax = 10_000
const partBytesMin = 5 * 1024 * 1024

/** Files in a bucket: in parts when they are large; an object is there when it is complete. */
export const s3: TargetKind<'s3'> = {
  send: async ({ outgoing, signal }, target, secret, file) => {
    const client = await clientOf(outgoing, target, secret)
    const upload = new Upload({
      client,
      queueSize: 1,
      partSize: Math.max(partBytesMin, Math.ceil(file.size / (partsMax - 1))),
      params: {
        ...objectOf(target, file.name),
        Body: Readable.from(file.content(), { objectMode: false }),
        ContentType: file.type,
      },
    })
    const stop = () => void upload.abort()
    signal.addEventListener('abort', stop, { once: true })
    try {
      if (signal.aborted) throw new TargetError('timeout', 'There was no time left.')
      await upload.done()
    } catch (error) {
      throw failureOf(error, signal)
    } finally {
      signal.removeEventListener('abort', stop)
      client.destroy()
    }
  },
  remove: async ({ outgoing, signal }, target, secret, name) => {
    const client = await clientOf(outgoing, target, secret)
    try {
      await client.send(new DeleteObjectCommand(objectOf(target, name)), { abortSignal: signal })
    } catch (error) {
      throw failureOf(error, signal)
    } finally {
      client.destroy()
    }
  },
}

function objectOf({ bucket, folder }: TargetOf<'s3'>, name: string) {
  return { Bucket: bucket, Key: [...partsOf(folder), name].join('/') }
}

async function clientOf(
  outgoing: SocketGuard,
  { endpoint, region, accessKeyId, addressing }: TargetOf<'s3'>,
  secretAccessKey: string,
): Promise<S3Client> {
  await demandTls(outgoing, endpoint)
  return new S3Client({
    endpoint,
    region,
    forcePathStyle: addressing === 'path',
    credentials: { accessKeyId, secretAccessKey },
    // Checksums of the newer kind are unknown to many services; the signature covers the request anyway.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // A run makes its own attempts.
    maxAttempts: 1,
    requestHandler: new NodeHttpHandler({
      connectionTimeout: connectMs,
      socketTimeout: idleMs,
      ...agentsOf(outgoing),
    }),
  })
}

/** Agents whose sockets connect only where the operator allows it. */
function agentsOf(outgoing: SocketGuard) {
  const httpAgent = new http.Agent({ keepAlive: true, maxSockets: 2 })
  const httpsAgent = new https.Agent({ keepAlive: true, maxSockets: 2 })
  const socketTo = (isTls: boolean) => (options: { host?: string | null; port?: string | number | null }) =>
    guardedSocket(
      outgoing,
      { host: options.host ?? '', port: Number(options.port ?? (isTls ? 443 : 80)) },
      isTls ? { rejectUnauthorized: true } : null,
    )
  httpAgent.createConnection = socketTo(false) as (options: object) => Socket
  httpsAgent.createConnection = socketTo(true) as (options: object) => Socket
  return { httpAgent, httpsAgent }
}

const signInCodes = new Set([
  'InvalidAccessKeyId',
  'SignatureDoesNotMatch',
  'AuthorizationHeaderMalformed',
  'ExpiredToken',
  'InvalidToken',
])

function failureOf(error: unknown, signal: AbortSignal): TargetError {
  if (error instanceof TargetError) return error
  const detail = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  const because = (failure: ConstructorParameters<typeof TargetError>[0]) =>
    new TargetError(failure, detail.slice(0, 300), { cause: error })
  if (signal.aborted) return because('timeout')
  if (error instanceof AppError)
    return because(error.code === 'OUTGOING_ADDRESS_FORBIDDEN' ? 'forbidden' : 'unreachable')
  // Also of answers that are none of S3, such as the page of a proxy.
  const status = (error as Partial<S3ServiceException>).$metadata?.httpStatusCode
  if (status !== undefined) {
    if (signInCodes.has((error as Error).name) || status === 401) return because('signIn')
    if (status === 507) return because('full')
    // One that is busy, and one that fails, may take the file at the next attempt.
    if (status >= 500 || status === 429) return because('unreachable')
    return because(status >= 400 ? 'refused' : 'protocol')
  }
  if (error instanceof Error && error.name === 'TimeoutError') return because('timeout')
  return because('unreachable')
}
