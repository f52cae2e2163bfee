import { contract } from '@leitstand/contract'
import { errorCatalogue } from '@leitstand/contract/errors'
import { wellFormedPattern } from '@leitstand/contract/wellFormed'
import { type OpenAPI, OpenAPIGenerator } from '@orpc/openapi'
import { ZodToJsonSchemaConverter } from '@orpc/zod/zod4'
import { sessionCookie } from './credentials.ts'

/** The OpenAPI 3.1 description of the contract, with the error reply every operation shares. */
export async function describeApi(): Promise<OpenAPI.Document> {
  const generator = new OpenAPIGenerator({ schemaConverters: [new ZodToJsonSchemaConverter()] })
  const document = await generator.generate(contract, {
    info: {
      title: 'IoT Platform',
      version: '1',
      description: `Errors are {code, message, data?, requestId}. Codes:\n\n${errorTable()}`,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/api' }],
    security: [{ bearer: [] }, { cookie: [] }],
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer' },
        cookie: { type: 'apiKey', in: 'cookie', name: sessionCookie },
      },
      schemas: { Error: errorSchema },
    },
  })
  addErrorReplies(document)
  addTextPatterns(document)
  return document
}

/** Declares that no text of an input may contain NUL: the API rejects it before it checks any schema. */
function addTextPatterns(document: OpenAPI.Document): void {
  for (const path of Object.values(document.paths ?? {}))
    for (const method of ['get', 'post', 'put', 'delete', 'patch'] as const) {
      const operation = path?.[method]
      addTextPattern(operation?.parameters)
      addTextPattern(operation?.requestBody)
    }
}

function addTextPattern(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  const schema = value as { type?: unknown; pattern?: string; format?: string; enum?: unknown }
  const isFree = schema.pattern === undefined && schema.format === undefined && schema.enum === undefined
  if (schema.type === 'string' && isFree) schema.pattern = wellFormedPattern
  for (const inner of Object.values(value)) addTextPattern(inner)
}

const errorSchema = {
  type: 'object' as const,
  required: ['code', 'message', 'requestId'],
  properties: {
    code: { type: 'string' as const, enum: Object.keys(errorCatalogue) },
    message: { type: 'string' as const, description: 'for developers, in English' },
    data: { type: 'object' as const, additionalProperties: true },
    requestId: { type: 'string' as const, description: 'finds the request in the log of the server' },
  },
}

function errorTable(): string {
  const rows = Object.entries(errorCatalogue).map(
    ([code, [status, message]]) => `| ${code} | ${status} | ${message} |`,
  )
  return ['| Code | Status | Meaning |', '|---|---|---|', ...rows].join('\n')
}

function addErrorReplies(document: OpenAPI.Document): void {
  const statuses = [...new Set(Object.values(errorCatalogue).map(([status]) => status))].sort((a, b) => a - b)
  for (const path of Object.values(document.paths ?? {})) {
    for (const method of ['get', 'post', 'put', 'delete', 'patch'] as const) {
      const operation = path?.[method]
      if (!operation) continue
      operation.responses ??= {}
      for (const status of statuses) {
        const codes = Object.entries(errorCatalogue).filter(([, [own]]) => own === status)
        operation.responses[String(status)] ??= {
          description: codes.map(([code]) => code).join(', '),
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
        }
      }
    }
  }
}
