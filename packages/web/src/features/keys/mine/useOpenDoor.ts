import type { MyDoor, RefusalReason } from '@leitstand/contract/keys'
import { ORPCError } from '@orpc/client'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api, client } from '../../../lib/api.ts'
import { describeError } from '../../../lib/errors.ts'
import { findPosition } from './position.ts'
import type { Press } from './view.ts'

/** How often the answer of a lock is read, in addition to what is told live. */
const askMs = 1_000
/** How long a result is shown on the button: a door that was opened is not open for ever. */
const shownMs = 20_000

/** Opens a door and follows what becomes of it. Nothing is kept to be sent later. */
export function useOpenDoor(door: MyDoor) {
  const [press, setPress] = useState<Press>()
  const pendingId = press?.kind === 'activated' ? press.activation.id : null
  const followed = useQuery({
    ...api.isfmAccessMgmt.activation.queryOptions({ input: { id: pendingId ?? 0 } }),
    enabled: pendingId !== null,
    refetchInterval: ({ state }) => (state.data?.result ? false : askMs),
  })
  const open = async (code?: string) => {
    // The page says so; nothing is sent, now or later.
    if (!navigator.onLine) return
    setPress({ kind: 'sending' })
    const position = door.withinMetres === null ? undefined : await findPosition()
    if (position === null) return setPress({ kind: 'noPosition' })
    setPress(await request(door, { code, position }))
  }
  const known = pendingId !== null && followed.data?.id === pendingId ? followed.data : undefined
  const shown: Press | undefined = known === undefined ? press : { kind: 'activated', activation: known }
  const forMs = lastsMs(shown)
  useEffect(() => {
    if (forMs === null) return
    const timer = setTimeout(() => setPress(undefined), forMs)
    return () => clearTimeout(timer)
  }, [forMs])
  return { press: shown, open }
}

/** How long the button shows it; null: until it is pressed again. */
function lastsMs(press: Press | undefined): number | null {
  if (press?.kind === 'activated' && press.activation.result !== null) return shownMs
  if (press?.kind === 'refused' && press.reason === 'throttled') return (press.seconds ?? 1) * 1000
  return null
}

async function request(
  { id, lockId }: MyDoor,
  {
    code,
    position,
  }: { code: string | undefined; position: { latitude: number; longitude: number } | undefined },
): Promise<Press> {
  try {
    const activation = await client.isfmAccessMgmt.activateLock({
      id,
      lockId,
      requestId: crypto.randomUUID(),
      ...(code === undefined ? {} : { code }),
      ...(position === undefined ? {} : { position }),
    })
    return { kind: 'activated', activation }
  } catch (error) {
    return pressOf(error)
  }
}

function pressOf(error: unknown): Press {
  const { code, text, details } = describeError(error)
  if (code === 'LOCK_REFUSED') {
    const { reason, seconds, metres } = details as {
      reason: RefusalReason
      seconds?: number
      metres?: number
    }
    return {
      kind: 'refused',
      reason,
      ...(metres === undefined ? {} : { metres }),
      ...(seconds === undefined ? {} : { seconds }),
    }
  }
  // An answer of the server says that nothing was sent; without one that is not known.
  if (error instanceof ORPCError && error.status < 500) return { kind: 'error', text }
  return { kind: 'lost' }
}
