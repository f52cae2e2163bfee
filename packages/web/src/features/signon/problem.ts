import { ORPCError } from '@orpc/client'

/** The error code in the address. Anyone could have written it, so only codes with a text are accepted. */
export function problemOf(code: string | undefined): unknown {
  if (code === undefined || !/^[A-Z0-9_]{1,60}$/.test(code)) return undefined
  return new ORPCError(code)
}
