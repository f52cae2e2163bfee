import { contract } from '@leitstand/contract'
import type { OperationMeta } from '@leitstand/contract/common'
import { isContractProcedure } from '@orpc/contract'
import { ZodToJsonSchemaConverter } from '@orpc/zod/zod4'
import type { Schema } from './schemas.ts'

/** An operation of the contract, as an untyped client sees it. */
export interface Operation {
  /** e.g. `virtualdevice.list` */
  name: string
  method: string
  /** with `{parameters}`, below `/api` */
  path: string
  meta: OperationMeta
  /** of the input; undefined: it has none */
  schema: Schema | undefined
  /** whether the contract accepts an input */
  accepts: (input: unknown) => Promise<boolean>
}

const converter = new ZodToJsonSchemaConverter()

/** All operations of the contract. */
export function operationsOf(router: object = contract, path: string[] = []): Operation[] {
  return Object.entries(router).flatMap(([name, entry]: [string, object]) => {
    const here = [...path, name]
    if (!isContractProcedure(entry)) return operationsOf(entry, here)
    const { meta, route, inputSchema } = entry['~orpc']
    const schema = inputSchema && (converter.convert(inputSchema, { strategy: 'input' })[1] as Schema)
    const about = { name: here.join('.'), method: route.method ?? 'POST', path: route.path ?? '' }
    const accepts = async (input: unknown) => !(await inputSchema?.['~standard'].validate(input))?.issues
    return [{ ...about, meta: meta as OperationMeta, schema, accepts }]
  })
}

/** A request as it goes over the wire. */
export interface Sent {
  method: string
  /** below the address of the server */
  path: string
  headers: Record<string, string>
  body?: string
}

/** The request of an input: parameters into the path, the rest into the query of a GET or into a JSON body. */
export function requestOf({ method, path, meta }: Operation, input: unknown, token?: string): Sent {
  const rest: Record<string, unknown> = { ...(input as object | undefined) }
  const filled = path.replace(/\{\+?(\w+)\}/g, (_, name: string) => {
    const value = rest[name]
    delete rest[name]
    return encoded(String(value ?? 1))
  })
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
  if (meta.fileBytesMax !== undefined && meta.filesMax === undefined)
    return { method, path: `/api${filled}`, ...formOf(rest, headers) }
  if (method === 'GET') {
    const query = queryOf(rest)
    return { method, path: `/api${filled}${query === '' ? '' : `?${query}`}`, headers }
  }
  if (Object.keys(rest).length === 0) return { method, path: `/api${filled}`, headers }
  return {
    method,
    path: `/api${filled}`,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(rest),
  }
}

/** URL-encodes a text; lone surrogates become the bytes a careless program sends. */
export function encoded(text: string): string {
  return [...text]
    .map((character) => {
      const code = character.charCodeAt(0)
      if (character.length === 1 && code >= 0xd800 && code <= 0xdfff) return '%ED%A0%80'
      return encodeURIComponent(character)
    })
    .join('')
}

/** Nested values in brackets, as the API reads them. */
function queryOf(value: unknown, prefix = ''): string {
  if (value === undefined) return ''
  if (typeof value !== 'object' || value === null) return `${prefix}=${encoded(String(value))}`
  return Object.entries(value)
    .map(([key, item]) => queryOf(item, prefix === '' ? encoded(key) : `${prefix}[${encoded(key)}]`))
    .filter((part) => part !== '')
    .join('&')
}

function formOf(fields: Record<string, unknown>, headers: Record<string, string>) {
  const boundary = 'sweep-boundary'
  const parts = Object.entries(fields).map(([name, value]) => {
    const content = value instanceof Blob ? 'a;b\r\n1;2\r\n' : String(value)
    const file = value instanceof Blob ? `; filename="a.csv"\r\ncontent-type: text/plain` : ''
    return `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${file}\r\n\r\n${content}\r\n`
  })
  return {
    headers: { ...headers, 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: `${parts.join('')}--${boundary}--\r\n`,
  }
}
