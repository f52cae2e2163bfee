import { AppError } from '../../../../platform/errors.ts'
import { type GuardedFetch, guardedFetch } from '../../../../platform/net/guardedFetch.ts'
import { TargetError, type TargetKind, type TargetOf, type TargetTools } from '../../types.ts'
import { partOf, partsOf } from '../paths.ts'

/** Of one request; the run as a whole has its own. */
const timeoutMs = 15 * 60_000
/** Answers are read to their end; pages of errors can be long. */
const bytesMax = 1_048_576

/**
 * Files by WebDAV (RFC 4918): folders are created when they are missing (MKCOL), a file is written beside its name (PUT) and
 * moved to it (MOVE).
 */
export const webdav: TargetKind<'webdav'> = {
  send: async (tools, target, secret, file) => {
    const call = callerOf(tools, target, secret)
    const { base, parts, within } = placeOf(target)
    for (let depth = 1; depth <= parts.length; depth++) {
      // 405: it is there. Whether it can be written is what PUT says.
      await call('MKCOL', `${base}/${parts.slice(0, depth).join('/')}/`, {}, [201, 405, 301, 302])
    }
    const part = `${within}/${encodeURIComponent(partOf(file.name))}`
    const headers = { 'content-type': file.type, 'content-length': String(file.size) }
    await call('PUT', part, { headers, body: file.content() }, [200, 201, 204])
    const destination = `${within}/${encodeURIComponent(file.name)}`
    await call('MOVE', part, { headers: { destination, overwrite: 'T' } }, [200, 201, 204])
  },
  remove: async (tools, target, secret, name) => {
    const url = `${placeOf(target).within}/${encodeURIComponent(name)}`
    await callerOf(tools, target, secret)('DELETE', url, {}, [200, 204])
  },
}

function placeOf({ url, folder }: TargetOf<'webdav'>) {
  const base = url.replace(/\/+$/, '')
  const parts = partsOf(folder).map(encodeURIComponent)
  return { base, parts, within: [base, ...parts].join('/') }
}

function callerOf({ outgoing, signal }: TargetTools, { username }: TargetOf<'webdav'>, secret: string) {
  const signIn = [username, secret].join(':')
  const authorization = username === null ? null : `Basic ${Buffer.from(signIn).toString('base64')}`
  const fetch = guardedFetch(outgoing, { timeoutMs, bytesMax })
  return async (
    method: string,
    url: string,
    { headers = {}, body }: Pick<NonNullable<Parameters<GuardedFetch>[1]>, 'headers' | 'body'>,
    expected: readonly number[],
  ): Promise<void> => {
    const answer = await fetch(url, {
      method,
      signal,
      headers: { ...headers, ...(authorization === null ? {} : { authorization }) },
      ...(body === undefined ? {} : { body }),
    }).catch((error: unknown) => {
      throw failureOf(error, signal)
    })
    if (expected.includes(answer.status)) return
    throw new TargetError(failureOfStatus(answer.status), `${method}: ${answer.status} ${answer.statusText}`)
  }
}

function failureOfStatus(status: number) {
  if (status === 401 || status === 407) return 'signIn'
  if (status === 507 || status === 413) return 'full'
  if (status >= 500 || status === 429) return 'unreachable'
  return status >= 400 ? 'refused' : 'protocol'
}

function failureOf(error: unknown, signal: AbortSignal): TargetError {
  const detail = error instanceof Error ? error.message : String(error)
  const because = (failure: ConstructorParameters<typeof TargetError>[0]) =>
    new TargetError(failure, detail.slice(0, 300), { cause: error })
  if (error instanceof AppError)
    return because(error.code === 'OUTGOING_ADDRESS_FORBIDDEN' ? 'forbidden' : 'unreachable')
  if (signal.aborted || (error instanceof Error && error.name === 'TimeoutError')) return because('timeout')
  return because('unreachable')
}
