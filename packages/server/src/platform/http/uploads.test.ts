import { contract } from '@leitstand/contract'
import fastify from 'fastify'
import { expect, test } from 'vitest'
import { AppError } from '../errors.ts'
import { mountUploads } from './uploads.ts'

const path = `/api${contract.bulk.upload['~orpc'].route.path}`

/** A server with room for this many bytes of files; it returns the size of each file. */
async function serverWith(bytesMax: number) {
  const http = fastify()
  mountUploads(
    http,
    async (_request, reply, read) => {
      try {
        const file = [...((await read?.())?.values() ?? [])].find((value) => typeof value !== 'string')
        return await reply.send({ size: file?.size })
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        return await reply.code(error.status).send({ code: error.code })
      }
    },
    bytesMax,
  )
  await http.ready()
  const upload = async (bytes: number) => {
    const payload = new FormData()
    payload.append('file', new File(['x'.repeat(bytes)], 'rows.csv'))
    const request = new Request('http://localhost/', { method: 'POST', body: payload })
    const headers = { 'content-type': request.headers.get('content-type') ?? '' }
    const answer = await http.inject({
      method: 'POST',
      url: path,
      headers,
      payload: Buffer.from(await request.arrayBuffer()),
    })
    return { status: answer.statusCode, body: answer.json() }
  }
  return { upload, [Symbol.asyncDispose]: () => http.close() }
}

test('files on their way take no more of the memory than there is for them, and give it back', async () => {
  await using server = await serverWith(10_000)
  expect(await server.upload(8_000)).toEqual({ status: 200, body: { size: 8_000 } })
  expect(await server.upload(8_000)).toEqual({ status: 200, body: { size: 8_000 } })
  expect(await server.upload(12_000)).toEqual({ status: 503, body: { code: 'OVERLOADED' } })
  expect(await server.upload(8_000)).toEqual({ status: 200, body: { size: 8_000 } })
})
