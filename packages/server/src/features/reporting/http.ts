import { type AccessRule, isAllowed, may } from '@leitstand/contract/permissions'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { type Authenticate, type AuthenticateKey, identify } from '../../platform/http/api.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { toAppError } from '../../platform/http/server.ts'
import { type Epoch, epochs } from './answer.ts'
import { QueryError } from './influxql/syntax.ts'

/** Includes the path from the specification, and one below `/api` for proxies that only forward the API. */
export const queryPaths = ['/xapi/v1/influxdb/query', '/api/xapi/v1/influxdb/query'] as const
const bodyBytesMax = 262_144
const retryAfterSeconds = 1
const rule: AccessRule = may('InfluxDB', 'read')

/** The parameters of a request, as text. */
export interface Question {
  q: string
  epoch: Epoch | null
}

interface Doors {
  authenticate: Authenticate
  authenticateKey: AuthenticateKey
  answer: (caller: Caller, question: Question) => Promise<object>
}

/**
 * `GET` and `POST` of the query path: `q` and `epoch` in the query string or in a form. Returns `{ results:
 * [{ statement_id, series | error }] }`. Errors of the whole request use the error catalogue and repeat their
 * text as `error`, where clients of the protocol expect it.
 */
export function mountQueries({ http, log }: Pick<Context, 'http' | 'log'>, doors: Doors): void {
  void http.register(async (scope) => {
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: bodyBytesMax },
      (_request, body, done) => done(null, new URLSearchParams(body.toString())),
    )
    scope.setErrorHandler((error, request, reply) => {
      const known = error instanceof QueryError ? invalid(error) : toAppError(error)
      if (known.code === 'OVERLOADED') reply.header('retry-after', retryAfterSeconds)
      else if (known.status >= 500) log.error({ err: error, requestId: request.id }, 'a query failed')
      return reply.status(known.status).send({ ...known.toReply(request.id), error: known.message })
    })
    const handle = async (request: FastifyRequest, reply: FastifyReply) => {
      reply.header('cache-control', 'no-store')
      const { caller } = await identify(request, reply, doors, keyIn(request.headers.authorization))
      demandRule(caller)
      return reply.send(await doors.answer(caller, questionOf(request)))
    }
    for (const path of queryPaths) {
      scope.get(path, handle)
      scope.post(path, handle)
    }
  })
}

function invalid(error: QueryError): AppError {
  return new AppError(
    'INFLUX_QUERY_INVALID',
    { reason: error.message },
    `error parsing query: ${error.message}`,
  )
}

function demandRule(caller: Caller): void {
  if (caller.kind === 'anonymous') throw new AppError('AUTH_TOKEN_NOT_FOUND')
  if (caller.needsTwoFactor) throw new AppError('2FA_SETUP_REQUIRED')
  if (!isAllowed(rule, true, caller.can)) throw new AppError('NO_PERMISSION', { needed: rule })
}

/**
 * An API key in the header that clients of the protocol use: `Token <key>`, or Basic with the key as password
 * and any user name. Undefined: there is none.
 */
export function keyIn(authorization: string | undefined): string | undefined {
  const [, scheme = '', value = ''] = /^(Token|Basic) ([\w+/=.~-]{1,400})$/i.exec(authorization ?? '') ?? []
  if (scheme.toLowerCase() === 'token') return value
  if (scheme.toLowerCase() !== 'basic') return undefined
  const text = Buffer.from(value, 'base64').toString()
  return text.slice(text.indexOf(':') + 1)
}

/** Form fields take precedence over the query string. */
function questionOf(request: FastifyRequest): Question {
  const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams()
  const address = new URLSearchParams(request.url.split('?')[1] ?? '')
  const given = (name: string) => form.get(name) ?? address.get(name)
  const q = given('q')
  if (q === null || q.trim() === '') throw new QueryError('the parameter q is missing')
  const wanted = given('epoch')
  const epoch = epochs.find((one) => one === wanted)
  if (wanted && epoch === undefined) throw new QueryError(`epoch is one of ${epochs.join(', ')}`)
  return { q, epoch: epoch ?? null }
}
