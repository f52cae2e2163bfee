import { ORPCError } from '@orpc/client'
import { describe, expect, it } from 'vitest'
import { type SendTools, sendKept } from './send.ts'
import type { KeptReport } from './store.ts'

const report = (key: string, part: Partial<KeptReport> = {}): KeptReport => ({
  key,
  userId: 1,
  twinId: 2,
  place: 'Room 101',
  type: 'defect',
  subject: key,
  comment: '',
  again: false,
  photo: null,
  atMs: 0,
  ticketId: null,
  refusal: null,
  ...part,
})

/** A device with reports and a server; `fails` is asked before each call. */
function device(reports: KeptReport[], fails: (call: string) => unknown = () => undefined) {
  const kept = new Map(reports.map((each) => [each.key, each]))
  const tickets = new Map<string, { id: number; number: number; subject: string }>()
  const photos: number[] = []
  const attempt = (call: string) => {
    const error = fails(call)
    if (error !== undefined) throw error
  }
  const tools: SendTools = {
    list: async () => [...kept.values()],
    create: async ({ key, subject }) => {
      attempt(`create ${key}`)
      const ticket = tickets.get(key) ?? { id: tickets.size + 1, number: tickets.size + 1, subject }
      tickets.set(key, ticket)
      attempt(`answer ${key}`)
      return ticket
    },
    uploadPhoto: async (ticketId) => {
      attempt(`photo ${ticketId}`)
      photos.push(ticketId)
    },
    keep: async (each) => void kept.set(each.key, each),
    forget: async (key) => void kept.delete(key),
  }
  return { kept, tickets, photos, tools }
}
const noNetwork = new TypeError('Failed to fetch')
const refused = (status: number) => new ORPCError('TICKET_DUPLICATE', { status, message: 'no' })

describe('reports kept on a device', () => {
  it('are sent in their order with their photos, and then forgotten', async () => {
    const { kept, photos, tools } = device([report('a', { photo: new Blob(['x']) }), report('b')])
    expect([...(await sendKept(tools)).keys()]).toEqual(['a', 'b'])
    expect([kept.size, photos]).toEqual([0, [1]])
  })
  it('stay while there is no network, and are one ticket although the first answer was lost', async () => {
    let isLost = true
    const { kept, tickets, tools } = device([report('a'), report('b')], (call) =>
      isLost && call === 'answer a' ? noNetwork : undefined,
    )
    expect((await sendKept(tools)).size).toBe(0)
    expect([kept.size, tickets.size]).toEqual([2, 1])
    isLost = false
    expect((await sendKept(tools)).size).toBe(2)
    expect([kept.size, tickets.size]).toEqual([0, 2])
  })
  it('keep a photo that did not get through', async () => {
    let isLost = true
    const { kept, photos, tickets, tools } = device([report('a', { photo: new Blob(['x']) })], (call) =>
      isLost && call === 'photo 1' ? noNetwork : undefined,
    )
    await sendKept(tools)
    expect(kept.get('a')).toMatchObject({ ticketId: 1 })
    isLost = false
    await sendKept(tools)
    expect([kept.size, photos, tickets.size]).toEqual([0, [1], 1])
  })
  it('stay with the reason when the server refuses them, and hold up no others', async () => {
    const { kept, tools } = device([report('a'), report('b')], (call) =>
      call === 'create a' ? refused(409) : undefined,
    )
    expect([...(await sendKept(tools)).keys()]).toEqual(['b'])
    expect(kept.get('a')?.refusal).toMatchObject({ code: 'TICKET_DUPLICATE' })
    expect((await sendKept(tools)).size).toBe(0)
  })
  it('wait when the session has ended or the server is busy', async () => {
    for (const status of [401, 429, 503]) {
      const { kept, tools } = device([report('a')], () => refused(status))
      await sendKept(tools)
      expect(kept.get('a')).toMatchObject({ refusal: null })
    }
  })
})
