/** Bytes of the write-ahead log before a place in it. */
export type Position = bigint

/** The longest header of a page of the log; no record ends within it. */
const pageHeaderMax = 40n

/**
 * A position that PostgreSQL sends as text, without the header of a page that has no record yet: where nothing was written
 * since, what a replica has replayed ends before it.
 * @param text of `lsn - '0/0'`
 * @param pageBytes `wal_block_size` of the server
 */
export function positionOf(text: string, pageBytes: number): Position {
  const position = BigInt(text)
  const within = position % BigInt(pageBytes)
  return within <= pageHeaderMax ? position - within : position
}
