/** Position in the outbox: transaction (as text, because it has 64 bits) and event. */
export interface Cursor {
  xid: string
  id: number
}

export function isBefore(a: Cursor, b: Cursor): boolean {
  const order = BigInt(a.xid) - BigInt(b.xid)
  return order < 0n || (order === 0n && a.id < b.id)
}
