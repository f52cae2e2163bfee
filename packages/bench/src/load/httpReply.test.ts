import { expect, test } from 'vitest'
import { postRequest, readReply } from './httpReply.ts'

const reply = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5\r\n\r\n{"a":'

test('a whole reply is read', () => {
  expect(readReply(Buffer.from(reply))).toEqual({ status: 200, length: reply.length })
  expect(readReply(Buffer.from(`${reply}HTTP/1.1 …`))).toEqual({ status: 200, length: reply.length })
})

test('a part of one is not', () => {
  for (const length of [0, 10, reply.length - 1])
    expect(readReply(Buffer.from(reply.slice(0, length)))).toBeNull()
})

test('a reply without a length is refused', () => {
  expect(() => readReply(Buffer.from('HTTP/1.1 200 OK\r\n\r\n'))).toThrow(/cannot be read/)
  expect(() => readReply(Buffer.from('nonsense\r\n\r\n'))).toThrow(/cannot be read/)
})

test('a request says how long its body is, in bytes', () => {
  expect(postRequest('/api/hooks/k', 80, 'ä')).toBe(
    'POST /api/hooks/k HTTP/1.1\r\nhost: 127.0.0.1:80\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\nä',
  )
})
