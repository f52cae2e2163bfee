import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { client } from '../../../lib/api.ts'
import { kinds } from './kinds/index.ts'
import type { TestPacket } from './packets.ts'
import { type Tried, toTrial } from './tried.ts'

/** Runs the parser after a typing pause of this length. */
const pauseMs = 400

/** Placeholder bytes so that the server can check the parser without a packet. */
const nothing = { payload: '00', encoding: 'base16' as const }

/** Maximum packets per API call. */
const packetsPerCall = 50

function toInput({ payload, encoding, fPort, time }: TestPacket) {
  return {
    payload,
    encoding,
    ...(fPort === null ? {} : { fPort }),
    ...(time === undefined ? {} : { time }),
  }
}

function inParts<T>(all: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(all.length / packetsPerCall) }, (_, part) =>
    all.slice(part * packetsPerCall, (part + 1) * packetsPerCall),
  )
}

/** The stored driver to test, and how. */
interface Stored {
  /** undefined for a new driver */
  driverId: number | undefined
  /** the version shown */
  number: number | undefined
  /** users who may not edit drivers only run the stored version */
  readOnly: boolean
}

/**
 * Runs a parser on packets as the pipeline does, again after each change. Results keep the order of the
 * packets; the previous ones stay while a new run is in progress.
 */
export function useTrial(
  values: Tried,
  packets: readonly TestPacket[],
  { driverId, number, readOnly }: Stored,
) {
  const { parser, script, calculated, parserSecret, health } = values
  const now = useMemo(
    () => JSON.stringify(toTrial({ parser, script, calculated, parserSecret, health })),
    [parser, script, calculated, parserSecret, health],
  )
  const [settled] = useDebouncedValue(now, pauseMs)
  const tried = packets.length > 0
  const run = useQuery({
    queryKey: ['drivers', 'trial', driverId ?? null, number ?? null, readOnly, settled, packets],
    queryFn: async () => {
      const written = JSON.parse(settled) as NonNullable<ReturnType<typeof toTrial>>
      const input = readOnly ? { number } : written
      const parts = tried ? inParts(packets.map(toInput)) : [[nothing]]
      const replies = await Promise.all(
        parts.map((part) =>
          client.dispatcher.parse({
            ...input,
            ...(driverId === undefined ? {} : { driverId }),
            packets: part,
          }),
        ),
      )
      const all = replies.flatMap(({ results }) => results)
      const [first] = replies
      if (!first) throw new Error('nothing was tried')
      return {
        check: first.check,
        results: new Map(packets.map(({ key }, index) => [key, all[index]] as const)),
      }
    },
    // Without a packet, do not call an external service.
    enabled: settled !== 'null' && (tried || kinds[parser.kind].addressOf === undefined),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    gcTime: 60_000,
    retry: false,
  })
  return { ...run, incomplete: now === 'null', waiting: run.isFetching || settled !== now }
}
