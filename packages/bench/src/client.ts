import { type Contract, contract } from '@leitstand/contract'
import { createORPCClient, ORPCError } from '@orpc/client'
import type { ContractRouterClient } from '@orpc/contract'
import { OpenAPILink } from '@orpc/openapi-client/fetch'

/** The API of a platform, typed by the contract. */
export type Api = ContractRouterClient<Contract>

/**
 * A client for the API at `url` (without `/api`) that carries a session token.
 * Its errors are `ORPCError` with the code of the catalogue.
 */
export function createApi(url: string, token?: string): Api {
  const link = new OpenAPILink(contract, {
    url: `${url}/api`,
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    customErrorResponseBodyDecoder: (body, response) => {
      const { code, message, data } = body as Record<string, unknown>
      if (typeof code !== 'string') return null
      return new ORPCError(code, { status: response.status, message: `${code}: ${String(message)}`, data })
    },
  })
  return createORPCClient(link)
}
