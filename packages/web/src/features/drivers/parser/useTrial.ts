import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { client } from '../../../lib/api.ts'
import type { TestPacket } from './packets.ts'

/** A pause in typing of this length runs the script. */
const pauseMs = 400

/** Harmless bytes that let the server compile the script while there is no packet to try it on. */
const nothing = { payload: '00', encoding: 'base16' as const }

/**
 * Runs a script on packets in the engine of live traffic, again after each change. Results keep the order of the
 * packets; while a new run is under way the last ones stay.
 */
export function useTrial(script: string, packets: readonly TestPacket[], driverId?: number) {
  const [settled] = useDebouncedValue(script, pauseMs)
  const tried = packets.length > 0
  const run = useQuery({
    queryKey: ['drivers', 'trial', driverId ?? null, settled, packets],
    queryFn: async () => {
      const reply = await client.dispatcher.parse({
        script: settled,
        ...(driverId === undefined ? {} : { driverId }),
        packets: tried
          ? packets.map(({ payload, encoding, fPort, time }) => ({
              payload,
              encoding,
              ...(fPort === null ? {} : { fPort }),
              ...(time === undefined ? {} : { time }),
            }))
          : [nothing],
      })
      const results = new Map(packets.map(({ key }, index) => [key, reply.results[index]] as const))
      return { check: reply.check, results }
    },
    enabled: settled.trim() !== '',
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    gcTime: 60_000,
    retry: false,
  })
  return { ...run, waiting: run.isFetching || settled !== script }
}
