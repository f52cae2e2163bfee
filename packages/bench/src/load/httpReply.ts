const headEnd = '\r\n\r\n'

/**
 * Reads one reply from the start of `bytes`.
 * @returns its status and length in bytes, or null while it is not whole
 * @throws when the reply does not say how long it is
 */
export function readReply(bytes: Buffer): { status: number; length: number } | null {
  const end = bytes.indexOf(headEnd)
  if (end < 0) return null
  const head = bytes.toString('latin1', 0, end)
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1])
  const content = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  if (!status || content === undefined) throw new Error(`a reply that cannot be read: ${head.slice(0, 100)}`)
  const length = end + headEnd.length + Number(content)
  return length <= bytes.length ? { status, length } : null
}

/** A request that keeps the connection open. */
export function postRequest(path: string, port: number, body: string): string {
  return [
    `POST ${path} HTTP/1.1`,
    `host: 127.0.0.1:${port}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n')
}
