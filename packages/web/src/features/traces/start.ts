import type { TraceStart } from '../../lib/trace.ts'
import { one, type UrlSearch } from '../../lib/url.ts'

/** What the address asks about; undefined: nothing that can be. */
export function startOf(search: UrlSearch): TraceStart | undefined {
  const id = (name: string) => {
    const text = one(search, name) ?? ''
    return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined
  }
  const at = one(search, 'at')
  const time = at !== undefined && !Number.isNaN(Date.parse(at)) ? new Date(at).toISOString() : undefined
  const [packet, device, state] = [id('packet'), id('device'), id('state')]
  if (packet !== undefined && device !== undefined && time !== undefined) return { packet, device, at: time }
  if (state !== undefined && time !== undefined) return { state, at: time }
  const [letter, connector, identifier] = [id('letter'), id('connector'), one(search, 'identifier')]
  if (letter !== undefined && connector !== undefined && time !== undefined)
    return { letter, connector, at: time, ...(identifier ? { identifier } : {}) }
  const [execution, mail, alarm] = [id('execution'), id('mail'), id('alarm')]
  if (execution !== undefined) return { execution }
  if (mail !== undefined) return { mail }
  return alarm === undefined ? undefined : { alarm }
}
